package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
)

// withoutRace are the packages whose tests run without the race detector: neither
// they nor their tests start a goroutine, so there is nothing for it to see, and
// under it they take many times longer.
var withoutRace = []string{
	".", "config", "deploy", "docs", "gitops/step", "gitops/step/hcledit", "gitops/step/helm", "gitops/step/jsonedit", "gitops/step/tomledit", "gitops/step/yamledit", "gitops/worktree", "handlers", "promotion",
	"promotion/expr", "promotion/ledger", "promotion/promotiontest", "promotion/window", "server/flowchart",
	"server/ghsim/page/markdown", "server/plan", "server/registry/tag",
}

// raceElsewhere are packages that start goroutines and whose own tests take too
// long under the race detector; what they stand on runs under it in the stories of server.
// Those that test the large libraries of some steps are among them: the build tag
// small leaves these out of what is built for the detector.
var raceElsewhere = []string{"bench", "gitops/step/kustomize", "handlers/ghapi", "server/demo", "server/doctor", "server/ghsim", "server/ghsim/page", "server/status"}

// raceStories are the tests of server that run under the race detector, which
// makes them many times slower: between them they take every way through the
// product, with server and simulator in one process. The others run without it,
// several at once, because they mostly wait.
const raceStories = "^(TestAChangeTravelsFromDevToProd|TestGates|TestDeliveriesInDisorder|TestTheSweepGetsBackEveryDelivery|TestAnImageIsFreight|TestStopGivesEverythingFree|TestTheAbortButtonClosesThePullRequest)$"

// largeTests read and write hundreds of megabytes on one goroutine.
const largeTests = "^TestLargeFileIsNotLoaded$"

// modelTests play the core without the race detector, by the hundred thousand:
// under it they play a few, because several are played at once.
const modelTests = "^(TestSchedules|TestPlantedFaultsAreFound|TestABusyRepository)$"

// test runs all tests, each once.
func test(ctx context.Context) error {
	race, plain, err := packages(ctx)
	if err != nil {
		return err
	}
	// go vet has run, and nobody takes a debugger to these binaries.
	flags := []string{"test", "-shuffle=on", "-timeout=25m", "-vet=off", "-ldflags=-w"}
	withRace := append(slices.Clone(flags), "-race", withoutLarge)
	if why := raceless(ctx); why != "" {
		fmt.Printf("The race detector is left out: %s.\n", why)
		withRace = flags
	}
	extras()
	return errors.Join(
		command(ctx, "go", slices.Concat(flags, plain)...),
		together(
			func() error {
				return command(ctx, "go", slices.Concat(withRace, []string{"-skip=" + largeTests}, race)...)
			},
			func() error {
				return command(ctx, "go", slices.Concat(withRace, []string{"-run=" + raceStories, "./server"})...)
			},
		),
		together(
			func() error { // it mostly waits
				return command(ctx, "go", slices.Concat(flags, []string{"-parallel=8", "-skip=" + raceStories, "./server"})...)
			},
			func() error { // with what the stories leave of the processors: they wait for each other
				words := slices.Concat(behind(exec.LookPath), []string{"go"}, flags, []string{"-run=" + modelTests, "./promotion/model", "-schedules=100000"})
				return command(ctx, words[0], words[1:]...)
			},
		),
		command(ctx, "go", slices.Concat(flags, []string{"-run=" + largeTests, "./gitops"})...),
	)
}

// behind are the words before a command that has it take only what others leave of the
// processors; none where there is no nice.
func behind(look func(string) (string, error)) []string {
	if _, err := look("nice"); err != nil {
		return nil
	}
	return []string{"nice", "-n", "10"}
}

// together does things side by side and joins their errors.
func together(things ...func() error) error {
	errs := make([]error, len(things))
	var group sync.WaitGroup
	for i, thing := range things {
		group.Go(func() { errs[i] = thing() })
	}
	group.Wait()
	return errors.Join(errs...)
}

// packages are those that run under the race detector, and those that do not.
func packages(ctx context.Context) (race, plain []string, err error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.ImportPath}} {{.Module.Path}}", "./...").Output()
	if err != nil {
		return nil, nil, fmt.Errorf("list the packages: %w", err)
	}
	left := len(withoutRace) + len(raceElsewhere)
	for line := range strings.Lines(string(out)) {
		path, module, _ := strings.Cut(strings.TrimSpace(line), " ")
		dir := strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
		if dir == "" {
			dir = "." // it links the large libraries of some steps, which would be built for the detector too
		}
		if dir == "server" {
			continue // its tests are run by name
		}
		if slices.Contains(withoutRace, dir) || slices.Contains(raceElsewhere, dir) {
			plain = append(plain, path)
			left--
			continue
		}
		race = append(race, path)
	}
	if left != 0 {
		return nil, nil, errors.New("a list names a package that is not there")
	}
	return race, plain, nil
}

// hasBrowser reports whether a browser is there for the tests that take one; those of
// server/servertest/browser look for the same names. Without it they are skipped, which
// go test shows only where it is asked to.
func hasBrowser(look func(string) (string, error)) bool {
	return slices.ContainsFunc([]string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}, func(name string) bool {
		_, err := look(name)
		return err == nil
	})
}

// raceless says why the race detector cannot be used; empty: it can.
func raceless(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "go", "env", "GOOS", "CGO_ENABLED", "CC").Output()
	if err != nil {
		return "go env says nothing"
	}
	answers := strings.Split(string(out), "\n")
	if len(answers) < 3 {
		return "go env says too little"
	}
	return racelessOn(answers[0], answers[1], answers[2], exec.LookPath)
}

// racelessOn is raceless for an answer of go env. Only macOS needs no C compiler
// (https://go.dev/doc/articles/race_detector#Requirements).
func racelessOn(system, cgo, compiler string, look func(string) (string, error)) string {
	if system == "darwin" {
		return ""
	}
	if cgo != "1" {
		return "CGO_ENABLED is not 1"
	}
	words := strings.Fields(compiler)
	if len(words) == 0 {
		return "there is no C compiler"
	}
	if _, err := look(words[0]); err != nil {
		return "there is no C compiler (" + words[0] + ")"
	}
	return ""
}

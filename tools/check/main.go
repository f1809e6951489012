package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// checks run in this order: what is over soon comes first.
var checks = []struct {
	name  string
	run   func(context.Context) error
	asked bool // only when its name is given
}{
	{name: "git", run: gitVersion},
	{name: "format", run: func(context.Context) error { return sources(".") }},
	{name: "vet", run: vet},
	{name: "lint", run: lint},
	{name: "vet-large", run: vetLarge, asked: true},
	{name: "test", run: test},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	installMissing := flag.Bool("install", false, "on Debian, as root: install what some tests take and is not there")
	flag.Parse()
	if *installMissing {
		install(ctx)
	}
	err := run(ctx, flag.Args())
	if installing != nil { // what was begun is not left half done
		<-installing
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "check: %v\n", err)
		os.Exit(1)
	}
}

// run runs the checks called names, or all.
func run(ctx context.Context, names []string) error {
	for _, name := range names {
		if !slices.Contains(checkNames(), name) {
			return fmt.Errorf("there is no check %q; there are %s", name, strings.Join(checkNames(), ", "))
		}
	}
	if err := toRoot(ctx); err != nil {
		return err
	}
	var failed []string
	for _, c := range checks {
		if len(names) > 0 && !slices.Contains(names, c.name) || len(names) == 0 && c.asked {
			continue
		}
		fmt.Printf("== %s\n", c.name)
		start := time.Now()
		if err := c.run(ctx); err != nil {
			fmt.Printf("%v\n", err)
			failed = append(failed, c.name)
		}
		fmt.Printf("== %s took %s\n", c.name, time.Since(start).Round(100*time.Millisecond))
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("failed: %s", strings.Join(failed, ", "))
	}
	fmt.Println("All checks passed.")
	return nil
}

func checkNames() []string {
	var out []string
	for _, c := range checks {
		out = append(out, c.name)
	}
	return out
}

// toRoot goes to the folder of go.mod, from which all paths here are told.
func toRoot(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return fmt.Errorf("ask go where the module is: %w", err)
	}
	file := strings.TrimSpace(string(out))
	if filepath.Base(file) != "go.mod" {
		return fmt.Errorf("this is no checkout of the module; run it inside one")
	}
	return os.Chdir(filepath.Dir(file))
}

// command runs a program with its output shown.
func command(ctx context.Context, name string, args ...string) error {
	fmt.Printf("$ %s %s\n", name, strings.Join(args, " "))
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	// Binaries that tests build need no stamp of the commit, and git refuses to
	// tell it where the checkout belongs to another user, as in containers.
	cmd.Env = append(os.Environ(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -buildvcs=false"))
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, args[0], err)
	}
	return nil
}

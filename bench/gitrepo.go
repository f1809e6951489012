package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/stagecoach-app/stagecoach/gitops/gitopstest"
)

// gitRepo is a GitOps repository behind a git server: folders
// envs/ENV/TEAM/APP with four files each.
type gitRepo struct {
	*gitopstest.Server
	files, apps int // apps: in each environment
	teams       int
	base        string // the tip of main
}

var (
	gitEnvs  = []string{"dev", "test", "staging", "preprod", "prod"}
	gitFiles = []string{"values.yaml", "kustomization.yaml", "patch.yaml", "Chart.yaml"}
)

// newGitRepo makes a repository with about that many files and a history, packed
// as hosts keep them, and serves it.
func newGitRepo(b *bench, files int) (*gitRepo, error) {
	dir, err := b.dir()
	if err != nil {
		return nil, err
	}
	b.say("  making a repository of %d files", files)
	s, err := gitopstest.New(dir)
	if err != nil {
		return nil, err
	}
	g := &gitRepo{Server: s, files: files, apps: files / len(gitEnvs) / len(gitFiles)}
	for g.teams = 5; g.teams*g.teams*2 < g.apps; g.teams += 5 { // at most twice as many apps in a team as teams
	}
	err = g.fill(map[int]int{1000: 200, 20_000: 2000, 100_000: 5000}[files])
	if err == nil {
		_, err = s.Git("", "repack", "-adbq")
	}
	if err == nil {
		g.base, err = s.Git("", "rev-parse", "main")
	}
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("make a repository of %d files: %w", files, err)
	}
	return g, nil
}

// path names a file of an app in an environment.
func (g *gitRepo) path(env string, app int, file string) string {
	return fmt.Sprintf("envs/%s/team-%03d/app-%04d/%s", env, app%g.teams, app, file)
}

// fill writes the first commit and then some that change one file each.
func (g *gitRepo) fill(commits int) error {
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Env, cmd.Stderr = g.Dir, gitopstest.Env(), os.Stderr
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	w := bufio.NewWriterSize(pipe, 1<<20)
	g.write(w, commits)
	if err := w.Flush(); err != nil {
		return err
	}
	if err := pipe.Close(); err != nil {
		return err
	}
	return cmd.Wait()
}

func (g *gitRepo) write(w io.Writer, commits int) {
	r := rand.New(rand.NewPCG(1, uint64(g.files)))
	commit := func(n int) {
		fmt.Fprintf(w, "commit refs/heads/main\ncommitter octocat <octocat@example.com> %d +0000\ndata 6\nchange\n", 1_700_000_000+60*n)
	}
	commit(0)
	for _, env := range gitEnvs {
		for app := range g.apps {
			for _, file := range gitFiles {
				text := content(r, app, file)
				fmt.Fprintf(w, "M 100644 inline %s\ndata %d\n%s\n", g.path(env, app, file), len(text), text)
			}
		}
	}
	for n := range commits {
		commit(n + 1)
		app := r.IntN(g.apps)
		text := content(r, app, gitFiles[0])
		fmt.Fprintf(w, "M 100644 inline %s\ndata %d\n%s\n", g.path(gitEnvs[n%len(gitEnvs)], app, gitFiles[0]), len(text), text)
	}
}

// content is a file of about a kilobyte, with an image tag in it.
func content(r *rand.Rand, app int, file string) string {
	text := fmt.Sprintf("# %s of app %d\nimage:\n  repository: ghcr.io/acme/app-%d\n  tag: \"1.%d.%d\" # set by promotions\nenv:\n",
		file, app, app, r.IntN(40), r.IntN(40))
	for i := range 10 + r.IntN(14) {
		text += fmt.Sprintf("  - name: SETTING_%02d\n    value: \"%08x-%04d\"\n", i, r.Uint32(), r.IntN(10_000))
	}
	return text + "resources:\n  limits: {cpu: 500m, memory: 512Mi}\n"
}

// size is how much the files below a folder take, and how many there are.
func size(dir string) (bytes, files float64, err error) {
	err = filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			bytes, files = bytes+float64(info.Size()), files+1
		}
		return err
	})
	return bytes, files, err
}

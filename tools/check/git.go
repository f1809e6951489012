package main

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
)

// The oldest git whose merge-tree writes trees, which the simulated GitHub of the
// tests merges with (https://git-scm.com/docs/git-merge-tree).
const needMajor, needMinor = 2, 38

// gitVersion sees that there is a git that is new enough.
func gitVersion(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "git", "version").Output()
	if err != nil {
		return fmt.Errorf("git cannot be run; install git %d.%d or newer: %w", needMajor, needMinor, err)
	}
	return newEnough(string(out))
}

var version = regexp.MustCompile(`git version (\d+)\.(\d+)`)

func newEnough(text string) error {
	m := version.FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("%q is no version of git; install git %d.%d or newer", text, needMajor, needMinor)
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	if major < needMajor || major == needMajor && minor < needMinor {
		return fmt.Errorf("git is %d.%d; the tests need %d.%d or newer", major, minor, needMajor, needMinor)
	}
	return nil
}

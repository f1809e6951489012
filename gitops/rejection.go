package gitops

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// movedWords are how servers say that the branch is not where the push said it
// was: git's own words, and GitHub's.
var movedWords = []string{
	"stale info", "fetch first", "non-fast-forward", "cannot lock ref", "failed to lock",
	"reference already exists", "incorrect old value", "failed to update ref", "unable to resolve reference",
}

// githubCode finds the codes of GitHub's refusals, GH006 for example.
var githubCode = regexp.MustCompile(`\bGH0\d\d\b`)

// rejection turns a refused command into an error in the words of the core.
// words is what the server wrote for people.
func rejection(ref plumbing.ReferenceName, reason, words string) error {
	text, branch, instead := strings.ToLower(reason+" "+words), ref.Short(), ", or set `deliver: pull-request`"
	if ref.IsTag() {
		branch, instead = "the tag "+branch, ""
	}
	switch {
	case has(text, "gh006", "protected branch"):
		return refuse(branch, reason, words, "the branch is protected: let the app bypass its protection"+instead)
	case has(text, "gh013", "rule violations"):
		return refuse(branch, reason, words, "a ruleset of the repository refuses it: let the app bypass the ruleset"+instead)
	case has(text, "workflow") && has(text, "permission", "scope"):
		return fmt.Errorf("%w%s", &promotion.MissingPermission{
			Needed: "workflows=write", Doing: "push changes to files in .github/workflows",
		}, said([]byte(words)))
	case has(text, "; cannot create"):
		return refuse(branch, reason, words, "a branch of a shorter or longer name is in the way: delete or rename that one")
	case has(text, movedWords...):
		return fmt.Errorf("%w (%s)", promotion.ErrStale, reason)
	case githubCode.MatchString(words), has(text, "declined", "denied", "prohibited"):
		return refuse(branch, reason, words, "the server's rules refuse it")
	}
	return fmt.Errorf("the server did not take it for %s: %s%s", branch, reason, said([]byte(words)))
}

func refuse(branch, reason, words, advice string) error {
	return promotion.Terminal(errors.New("the push to " + branch + " was refused (" + reason + "): " + advice + said([]byte(words))))
}

func has(text string, any ...string) bool {
	for _, s := range any {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

package ghsim

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Rules are what a merge or a push into a branch must obey. The zero value forbids nothing.
type Rules struct {
	// Checks must have succeeded on the head of a pull request, or on a commit that is pushed.
	Checks []RequiredCheck
	// Strict demands that the head contains the base's tip, if Checks has any.
	Strict bool
	// PullRequest forbids pushes. Approvals is how many people with write access must approve, and implies it.
	PullRequest bool
	Approvals   int
	// DismissStale dismisses approvals when a push changes the diff. LastPush demands one by somebody else than the last pusher.
	DismissStale, LastPush bool
	// Methods of merging that are allowed, beside what the repository allows. Empty: all.
	Methods []string
	// LinearHistory forbids merge commits.
	LinearHistory bool
	// NoForcePush and NoDeletion forbid just that. Branch protection always does.
	NoForcePush, NoDeletion bool
	// MergeQueue demands that merges go through a merge queue.
	MergeQueue bool
	// Bypass lists logins that all this does not bind; an App's is SLUG[bot].
	Bypass []string
	// AdminsToo binds administrators, whom branch protection otherwise lets pass.
	AdminsToo bool
}

// RequiredCheck names a check run or commit status. Where both exist under the name, both must have succeeded. App is the ID of
// the App that must report it, 0 for anybody.
type RequiredCheck struct {
	Name string
	App  int64
}

// ruleset is a Rules on the branches that a pattern matches: a ruleset, or the older branch protection.
type ruleset struct {
	ID      int64
	Name    string
	Pattern string
	Classic bool
	Rules   Rules
}

// AddRuleset puts rules on the branches that a pattern matches, in which * stands for text without a slash and ** for any text;
// ~DEFAULT_BRANCH and ~ALL are what they say. It gives the ruleset's ID. A branch may have several.
func (s *Sim) AddRuleset(repo Repo, pattern string, rules Rules) (int64, error) {
	return s.addRules(repo, ruleset{Name: "rules of " + pattern, Pattern: pattern, Rules: rules})
}

// Protect puts branch protection, as it was before rulesets, on the branches that a pattern matches, instead of one of the same pattern.
func (s *Sim) Protect(repo Repo, pattern string, rules Rules) error {
	rules.NoForcePush, rules.NoDeletion = true, true
	_, err := s.addRules(repo, ruleset{Pattern: pattern, Classic: true, Rules: rules})
	return err
}

func (s *Sim) addRules(repo Repo, set ruleset) (int64, error) {
	err := s.changeRepo(repo, func(r *repository) error {
		r.rulesets = slices.DeleteFunc(r.rulesets, func(old *ruleset) bool { return set.Classic && old.Classic && old.Pattern == set.Pattern })
		set.ID = s.nextID()
		r.rulesets = append(r.rulesets, &set)
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("rules of %s: %w", set.Pattern, err)
	}
	return set.ID, nil
}

// RemoveRules takes the rulesets and the protection of a pattern away.
func (s *Sim) RemoveRules(repo Repo, pattern string) error {
	return s.changeRepo(repo, func(r *repository) error {
		r.rulesets = slices.DeleteFunc(r.rulesets, func(set *ruleset) bool { return set.Pattern == pattern })
		return nil
	})
}

// rulesOn are the rulesets of a branch.
func (r *repository) rulesOn(branch string) []*ruleset {
	return slices.DeleteFunc(slices.Clone(r.rulesets), func(set *ruleset) bool { return !set.covers(r, branch) })
}

func (set *ruleset) covers(r *repository, branch string) bool {
	switch set.Pattern {
	case "~ALL":
		return true
	case "~DEFAULT_BRANCH":
		return branch == r.defaultBranch
	}
	quoted := strings.ReplaceAll(regexp.QuoteMeta(set.Pattern), `\*\*`, ".*")
	return regexp.MustCompile("^" + strings.ReplaceAll(quoted, `\*`, "[^/]*") + "$").MatchString(branch)
}

// binds says whether the rules hold for an account.
func (set *ruleset) binds(r *repository, u *user) bool {
	if u == nil {
		return true
	}
	exempt := set.Classic && !set.Rules.AdminsToo && u.kind == "User" && r.roleOf(u) == roleAdmin
	return !exempt && !slices.ContainsFunc(set.Rules.Bypass, func(login string) bool { return strings.EqualFold(login, u.login) })
}

// wantsPull says whether changes come through pull requests alone.
func (r Rules) wantsPull() bool { return r.PullRequest || r.Approvals > 0 }

package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// gates checks what a stage asks for in the light of the stage and of those
// before it: what could never come true is an error, what says nothing a warning.
func (c *checker) gates(stage *yaml.Node, stages []*yaml.Node) {
	gates, verify := get(stage, "gates"), get(stage, "verify")
	c.checked(stage, get(gates, "checks"), stages)
	c.approvals(get(gates, "approvals"))
	c.verified(stage, verify)
	c.allowed(get(stage, "allow"))
	for _, list := range []*yaml.Node{get(gates, "checks"), get(verify, "checks")} {
		c.once(list, as)
		c.own(list)
	}
	c.withoutPullRequest(stage)
}

// withoutPullRequest warns of what is said about pull requests where there are
// none. With `deliver: none` the steps may open one.
func (c *checker) withoutPullRequest(stage *yaml.Node) {
	if value(stage, "deliver") != string(promotion.DeliverCommit) {
		return
	}
	if n := get(stage, "supersede"); n != nil && n.Value == string(promotion.SupersedeOpen) {
		c.warn(n, "`supersede: open` is about pull requests; with `deliver: commit` there are none, and it says what `queued` says")
	}
	if n := get(stage, "pullRequest"); n != nil {
		c.warn(n, "`pullRequest` says nothing here: with `deliver: commit` there is none")
	}
}

// checked sees that something before the stage deploys what checks can be on.
func (c *checker) checked(stage, checks *yaml.Node, stages []*yaml.Node) {
	if checks == nil {
		return
	}
	after := items(get(stage, "after"))
	if len(after) == 0 {
		c.error(checks, "%s has no `after`: nothing was deployed before it that `checks` could be green on; name a stage there, or use `verify` for what it deploys itself", stageName(stage))
		return
	}
	for _, other := range stages {
		mine := func(name *yaml.Node) bool { return name.Value == value(other, "name") }
		if slices.ContainsFunc(after, mine) && lands(other) {
			return
		}
	}
	c.error(checks, "no stage that %s comes after makes a commit that `checks` could be green on", stageName(stage))
}

// lands reports whether a stage's promotions leave a commit.
func lands(stage *yaml.Node) bool {
	steps := items(get(stage, "steps"))
	pushes := func(step *yaml.Node) bool {
		return value(step, "uses") == "git-push" && get(get(step, "config"), "tag") == nil
	}
	return len(steps) > 0 && (value(stage, "deliver") != string(promotion.DeliverNone) || slices.ContainsFunc(steps, pushes))
}

// verified sees that the stage leaves a commit to verify.
func (c *checker) verified(stage, verify *yaml.Node) {
	switch {
	case verify == nil || lands(stage):
	case len(items(get(stage, "steps"))) == 0:
		c.error(verify, "%s has no steps: it makes no commit that could be verified", stageName(stage))
	default:
		c.error(verify, "%s has `deliver: none` and no step `git-push`: it makes no commit that could be verified", stageName(stage))
	}
}

// approvals sees that as many people are named as must agree.
func (c *checker) approvals(n *yaml.Node) {
	teams, users, count := get(n, "teams"), get(n, "users"), get(n, "count")
	c.once(teams, strings.ToLower)
	c.once(users, strings.ToLower)
	if teams != nil || users == nil || count == nil {
		return
	}
	if wanted, err := strconv.Atoi(count.Value); err == nil && wanted > len(items(users)) {
		c.error(count, "%d must agree, but only %d may: name more `users`, or `teams`", wanted, len(items(users)))
	}
}

// allowed sees that somebody is named.
func (c *checker) allowed(n *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	teams, users := get(n, "teams"), get(n, "users")
	if teams == nil && users == nil {
		c.error(n, "`allow` names nobody; name `teams` or `users`, or leave it out: then whoever may write may promote")
	}
	c.once(teams, strings.ToLower)
	c.once(users, strings.ToLower)
}

// once refuses what stands in a list twice. key makes equal what GitHub does not
// tell apart, as logins in large and small letters.
func (c *checker) once(list *yaml.Node, key func(string) string) {
	lines := map[string]int{}
	for _, item := range items(list) {
		name := key(item.Value)
		if line, twice := lines[name]; twice && item.Kind == yaml.ScalarNode {
			c.error(item, "`%s` is on line %d already", shorten(item.Value), line)
		}
		lines[name] = item.Line
	}
}

// as is a key of names that differ by each letter.
func as(name string) string { return name }

// own warns of the app's own checks, which never count.
func (c *checker) own(list *yaml.Node) {
	for _, item := range items(list) {
		if item.Value == "stagecoach" || strings.HasPrefix(item.Value, "stagecoach/") {
			c.warn(item, "`%s` is the name of a check of this app, and those never count", shorten(item.Value))
		}
	}
}

func (c *checker) warn(n *yaml.Node, format string, args ...any) {
	c.report(Diagnostic{Line: n.Line, Column: n.Column, Severity: SeverityWarning, Message: fmt.Sprintf(format, args...)})
}

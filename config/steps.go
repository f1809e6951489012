package config

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// steps checks the steps of a stage, each in the light of those before it. known
// are the names that all stages may speak of.
func (c *checker) steps(stage *yaml.Node, known names) {
	steps := items(get(stage, "steps"))
	c.unique(steps, "as", "step")
	known.vars = append(keysOf(get(stage, "vars")), known.vars...)
	c.references(get(stage, "vars"), known)
	for i, step := range steps {
		c.step(step)
		here := known
		here.vars = append(keysOf(get(step, "vars")), known.vars...)
		for _, key := range []string{"config", "vars"} {
			c.references(get(step, key), here)
		}
		c.mentions(get(step, "if"), here)
		name := fmt.Sprintf("step-%d", i+1)
		if as := get(step, "as"); as != nil {
			name = as.Value
		}
		known.aliases = append(known.aliases, name)
	}
	c.references(get(stage, "pullRequest"), known)
	c.delivery(stage, steps)
}

// step checks a step's kind, its config and its condition.
func (c *checker) step(step *yaml.Node) {
	if condition := get(step, "if"); condition != nil && condition.Kind == yaml.ScalarNode {
		c.checkWith(c.options.CheckCondition, condition)
	}
	uses := get(step, "uses")
	if uses == nil || uses.Kind != yaml.ScalarNode || uses.Value == "" {
		return
	}
	kind := promotion.KindOf(uses.Value)
	switch instead := promotion.InsteadOf(uses.Value); {
	case kind == nil && instead != "":
		c.near(uses, "", nil, "there is no step `%s`: %s", shorten(uses.Value), instead)
		return
	case kind == nil:
		c.near(uses, uses.Value, stepNames(), "there is no step `%s`", shorten(uses.Value))
		return
	}
	config := get(step, "config")
	if config == nil {
		config = &yaml.Node{Kind: yaml.MappingNode, Line: uses.Line, Column: uses.Column}
	}
	if config.Kind == yaml.MappingNode {
		c.object(config, configShape(kind), "the config of `"+kind.Uses+"`")
	}
	if checkouts := get(config, "checkout"); kind.Uses == usesClone && checkouts != nil && checkouts.Kind == yaml.SequenceNode {
		c.unique(items(checkouts), "as", "checkout")
	}
}

const usesClone = "git-clone"

func stepNames() []string {
	out := make([]string, len(promotion.Kinds))
	for i, kind := range promotion.Kinds {
		out[i] = kind.Uses
	}
	return out
}

// delivery refuses to deliver what no checkout holds: after a git-clone as first
// step, a checkout must be of the stage's branch.
func (c *checker) delivery(stage *yaml.Node, steps []*yaml.Node) {
	deliver := string(promotion.DeliverPullRequest)
	if n := get(stage, "deliver"); n != nil {
		deliver = n.Value
	}
	if deliver == string(promotion.DeliverNone) || len(steps) == 0 || value(steps[0], "uses") != usesClone {
		return
	}
	branch := value(stage, "branch")
	for _, step := range steps {
		if value(step, "uses") == usesClone && maybeOwn(step, branch) {
			return
		}
	}
	which := "the default branch"
	if branch != "" {
		which = "the branch `" + branch + "`"
	}
	at := get(get(steps[0], "config"), "checkout")
	c.error(at, "%s delivers to %s (`deliver: %s`), but no checkout of its `git-clone` is of that branch; add one, or write `deliver: none` and push in a step", stageName(stage), which, deliver)
}

// maybeOwn reports whether a git-clone may have a checkout of a branch. Which
// repository is the pipeline's own, the file does not tell. What is wrong is said
// elsewhere.
func maybeOwn(step *yaml.Node, branch string) bool {
	checkouts := get(get(step, "config"), "checkout")
	if checkouts == nil || checkouts.Kind != yaml.SequenceNode {
		return true
	}
	return slices.ContainsFunc(items(checkouts), func(item *yaml.Node) bool { return mayHold(item, branch) })
}

// mayHold reports whether a checkout can be that of a branch, as far as the file
// tells: which branch is the default one, and what an expression gives, it does not.
func mayHold(checkout *yaml.Node, branch string) bool {
	if value(checkout, "commit") != "" || value(checkout, "tag") != "" {
		return false
	}
	mine := value(checkout, "branch")
	return mine == branch || mine == "" || branch == "" || strings.Contains(mine, "${")
}

// value is the text of a key; empty when there is none.
func value(n *yaml.Node, key string) string {
	if v := get(n, key); v != nil && v.Kind == yaml.ScalarNode {
		return v.Value
	}
	return ""
}

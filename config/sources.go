package config

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// sources checks what the keys of a source say together.
func (c *checker) sources(list []*yaml.Node) {
	for _, src := range list {
		image, chart := get(src, "image"), get(src, "chart")
		for _, kind := range []*yaml.Node{image, chart, get(src, "release")} {
			c.polled(kind)
		}
		c.image(image)
		c.constraint(get(chart, "constraint"))
		c.constraint(get(get(src, "release"), "constraint"))
		c.constraint(get(get(get(src, "git"), "tags"), "constraint"))
		c.chart(chart)
	}
}

func (c *checker) polled(n *yaml.Node) {
	every := get(n, "poll")
	if every == nil || every.Kind != yaml.ScalarNode {
		return
	}
	if d, err := parseDuration(every.Value); err == nil && d < promotion.PollLeast {
		c.error(every, "`poll` must be at least 1m: others use the registry too")
	}
}

func (c *checker) constraint(n *yaml.Node) {
	if n == nil || n.Kind != yaml.ScalarNode || n.Value == "" || c.options.CheckConstraint == nil {
		return
	}
	if err := c.options.CheckConstraint(n.Value); err != nil {
		c.error(n, "%s; write ^1.2.0, ~1.2, 2.x or >=1.2 <3", err)
	}
}

// image sees that the constraint is of the kind that select asks for.
func (c *checker) image(n *yaml.Node) {
	constraint := get(n, "constraint")
	switch how := value(n, "select"); {
	case how == promotion.SelectDigest && (constraint == nil || constraint.Value == ""):
		c.error(n, "`select: digest` needs `constraint`: the tag that it follows")
	case how == promotion.SelectDigest:
	case slices.Contains([]string{promotion.SelectNewest, promotion.SelectLexical}, how) && constraint != nil:
		c.error(constraint, "`constraint` is about versions, and `select: %s` does not look at them; use `allowTags`", how)
	default:
		c.constraint(constraint)
	}
}

// chart sees that a chart is named where its address does not name it.
func (c *checker) chart(n *yaml.Node) {
	repo, name := value(n, "repo"), get(n, "name")
	switch oci := strings.HasPrefix(repo, "oci://"); {
	case repo == "":
	case oci && name != nil:
		c.error(name, "`name` is not for a chart in a registry: its name is the end of `repo`")
	case !oci && (name == nil || name.Value == ""):
		c.error(n, "`chart` needs the key `name`: a repository of charts holds several")
	}
}

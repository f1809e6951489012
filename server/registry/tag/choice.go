package tag

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Choice is a rule that was read.
type Choice struct {
	rule          promotion.TagRule
	constraint    *semver.Constraints // nil: any version that is no prerelease
	allow, ignore *regexp.Regexp      // nil: all, none
}

// Read reads a rule. The error says what is wrong with it.
func Read(rule promotion.TagRule) (*Choice, error) {
	c := &Choice{rule: rule}
	var err error
	if c.allow, err = pattern(rule.AllowTags); err != nil {
		return nil, fmt.Errorf("allowTags: %w", err)
	}
	if c.ignore, err = pattern(rule.IgnoreTags); err != nil {
		return nil, fmt.Errorf("ignoreTags: %w", err)
	}
	if c.semver() && rule.Constraint != "" {
		if c.constraint, err = semver.NewConstraint(rule.Constraint); err != nil {
			return nil, fmt.Errorf("constraint %q: %w", rule.Constraint, err)
		}
	}
	return c, nil
}

// CheckConstraint says what is wrong with a constraint of versions.
func CheckConstraint(s string) error {
	_, err := Read(promotion.TagRule{Constraint: s})
	return err
}

func pattern(s string) (*regexp.Regexp, error) {
	if s == "" {
		return nil, nil
	}
	return regexp.Compile(s)
}

func (c *Choice) semver() bool {
	return c.rule.Select == "" || c.rule.Select == promotion.SelectSemver
}

// Permits reports whether the patterns let a tag through, whatever its version.
func (c *Choice) Permits(tag string) bool {
	return (c.allow == nil || c.allow.MatchString(tag)) && (c.ignore == nil || !c.ignore.MatchString(tag))
}

// Version reads a tag as a full version, with or without a v in front.
func Version(tag string) (*semver.Version, bool) {
	v, err := semver.StrictNewVersion(strings.TrimPrefix(tag, "v"))
	return v, err == nil
}

// Newest gives the tags that count, the newest first. For SelectNewest, whose order
// the tags do not show, it is that of the alphabet, backwards; for SelectDigest it is
// the one tag, if it is there.
func (c *Choice) Newest(tags []string) []string {
	switch {
	case c.semver():
		return c.highest(tags)
	case c.rule.Select == promotion.SelectDigest:
		if slices.Contains(tags, c.rule.Constraint) && c.Permits(c.rule.Constraint) {
			return []string{c.rule.Constraint}
		}
		return nil
	}
	var out []string
	for _, t := range tags {
		if c.Permits(t) {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Compare(b, a) })
	return slices.Compact(out)
}

// highest sorts by version. Equal ones differ in build metadata or by the v: the
// later in the alphabet wins, so that v1.2.3 is chosen before 1.2.3.
func (c *Choice) highest(tags []string) []string {
	type versioned struct {
		tag string
		v   *semver.Version
	}
	var list []versioned
	for _, t := range tags {
		v, ok := Version(t)
		if ok && c.Permits(t) && c.fits(v) {
			list = append(list, versioned{t, v})
		}
	}
	slices.SortFunc(list, func(a, b versioned) int {
		return cmp.Or(b.v.Compare(a.v), cmp.Compare(b.tag, a.tag))
	})
	out := make([]string, len(list))
	for i, each := range list {
		out[i] = each.tag
	}
	return slices.Compact(out)
}

func (c *Choice) fits(v *semver.Version) bool {
	if c.constraint == nil {
		return v.Prerelease() == ""
	}
	return c.constraint.Check(v)
}

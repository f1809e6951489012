package tag_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/registry/tag"
)

func TestChoices(t *testing.T) {
	all := []string{
		"latest", "main", "nightly", "sha-4f2a9c1", "4f2a9c1", "1234567", "20240131", "2024.01.31", "2024.1.31",
		"1", "1.2", "1.2.3", "v1.2.3", "v1.10.0", "1.9.9", "2.0.0-rc.1", "2.0.0-rc.10", "2.0.0-rc.2", "v2.0.0-alpha",
		"1.2.3-alpine", "1.10.0-alpine3.20", "main-1700000000", "main-1699999999", "01.2.3", "1.2.3.4", "v", "",
	}
	cases := []struct {
		name string
		rule promotion.TagRule
		want string // the first ones
	}{
		{"any version, no prerelease, no date that is none", promotion.TagRule{IgnoreTags: `^20\d\d\.`}, "v1.10.0 1.9.9 v1.2.3 1.2.3"},
		{"a date with single digits is a version", promotion.TagRule{}, "2024.1.31 v1.10.0"},
		{"a caret", promotion.TagRule{Constraint: "^1.2.0"}, "v1.10.0 1.9.9 v1.2.3 1.2.3"},
		{"a tilde", promotion.TagRule{Constraint: "~1.2"}, "v1.2.3 1.2.3"},
		{"prereleases where the constraint has one", promotion.TagRule{Constraint: ">=2.0.0-0 <3"}, "2.0.0-rc.10 2.0.0-rc.2 2.0.0-rc.1 v2.0.0-alpha"},
		{"no prerelease by a range", promotion.TagRule{Constraint: ">=2.0.0 <3"}, ""},
		{"allowed by a pattern", promotion.TagRule{Constraint: ">=1.0.0-0", AllowTags: `-alpine`}, "1.10.0-alpine3.20 1.2.3-alpine"},
		{"ignored by a pattern", promotion.TagRule{Constraint: "^1", IgnoreTags: `^v`}, "1.9.9 1.2.3"},
		{"the alphabet", promotion.TagRule{Select: promotion.SelectLexical, AllowTags: `^main-\d+$`}, "main-1700000000 main-1699999999"},
		{"one tag", promotion.TagRule{Select: promotion.SelectDigest, Constraint: "latest"}, "latest"},
		{"one tag that is not there", promotion.TagRule{Select: promotion.SelectDigest, Constraint: "stable"}, ""},
	}
	for _, c := range cases {
		choice, err := tag.Read(c.rule)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		tags := slices.Clone(all)
		rand.Shuffle(len(tags), func(i, j int) { tags[i], tags[j] = tags[j], tags[i] })
		got := choice.Newest(tags)
		want := strings.Fields(c.want)
		if len(got) < len(want) || !slices.Equal(got[:len(want)], want) || len(want) == 0 && len(got) > 0 {
			t.Errorf("%s: %q, want %q first", c.name, got, want)
		}
	}
}

// lists are tags as real registries have them, thousands each.
func lists(r *rand.Rand) map[string][]string {
	out := map[string][]string{}
	for major := range 6 {
		for minor := range 20 {
			for patch := range 6 {
				v := fmt.Sprintf("%d.%d.%d", major, minor, patch)
				out["plain"] = append(out["plain"], v)
				out["v"] = append(out["v"], "v"+v)
				out["both"] = append(out["both"], v, "v"+v)
				out["flavours"] = append(out["flavours"], v, v+"-alpine", v+"-slim-bookworm", fmt.Sprintf("%d.%d", major, minor), fmt.Sprint(major))
				out["candidates"] = append(out["candidates"], v, fmt.Sprintf("%s-rc.%d", v, patch), v+"-beta")
				out["build"] = append(out["build"], v+"+build."+fmt.Sprint(patch))
			}
		}
	}
	for range 1000 {
		sha := fmt.Sprintf("%016x", r.Uint64())
		out["shas"] = append(out["shas"], sha[:7], "sha-"+sha[:7], fmt.Sprintf("%d", r.IntN(9e6)+1e6))
		out["dates"] = append(out["dates"], fmt.Sprintf("20%02d%02d%02d", r.IntN(30), 1+r.IntN(12), 1+r.IntN(28)))
	}
	out["shas"] = append(out["shas"], "latest", "0.3.1")
	return out
}

// The oracle asks Masterminds/semver about each tag alone and takes the maximum.
func oracle(tags []string, constraint string) *semver.Version {
	c, err := semver.NewConstraint(constraint)
	if err != nil {
		panic(err)
	}
	var best *semver.Version
	for _, t := range tags {
		v, err := semver.StrictNewVersion(strings.TrimPrefix(t, "v"))
		if err == nil && c.Check(v) && (best == nil || v.GreaterThan(best)) {
			best = v
		}
	}
	return best
}

func TestTheHighestIsThatOfMasterminds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	constraints := []string{"*", "^1.2.0", "~3.4", ">=2 <5", "1.x || 7.2.*", "<0.1", ">=5.0.0-0", "=4.5.6", "!=5.19.5", "3 - 4.2", "~2.1.0-0"}
	for name, tags := range lists(r) {
		for _, constraint := range constraints {
			choice, err := tag.Read(promotion.TagRule{Constraint: constraint})
			if err != nil {
				t.Fatal(err)
			}
			r.Shuffle(len(tags), func(i, j int) { tags[i], tags[j] = tags[j], tags[i] })
			got, want := choice.Newest(tags), oracle(tags, constraint)
			if want == nil {
				if len(got) > 0 {
					t.Errorf("%s %s: %s, want none", name, constraint, got[0])
				}
				continue
			}
			if len(got) == 0 {
				t.Errorf("%s %s: none, want %s", name, constraint, want)
				continue
			}
			if v, _ := tag.Version(got[0]); v == nil || !v.Equal(want) {
				t.Errorf("%s %s: %s, want %s", name, constraint, got[0], want)
			}
			if constraint != "*" {
				continue
			}
			r.Shuffle(len(tags), func(i, j int) { tags[i], tags[j] = tags[j], tags[i] })
			if again := choice.Newest(tags); !slices.Equal(got, again) {
				t.Errorf("%s %s: another order of the tags gives another choice", name, constraint)
			}
		}
	}
}

func TestWrongRules(t *testing.T) {
	for _, rule := range []promotion.TagRule{{Constraint: "one"}, {AllowTags: "("}, {IgnoreTags: "[z-a]"}} {
		if _, err := tag.Read(rule); err == nil {
			t.Errorf("%+v is taken", rule)
		}
	}
}

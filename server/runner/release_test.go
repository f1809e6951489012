package runner

import (
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

func TestWhichReleaseIsTheNewest(t *testing.T) {
	at := func(day int) time.Time { return time.Date(2026, 3, day, 0, 0, 0, 0, time.UTC) }
	list := []promotion.Release{
		{Tag: "v1.2.1", At: at(9)}, {Tag: "v2.0.0-rc.1", At: at(8), Prerelease: true}, {Tag: "v1.10.0", At: at(3)}, {Tag: "nightly", At: at(2)},
	}
	for name, c := range map[string]struct {
		src     promotion.ReleaseSource
		version string
		want    string
	}{
		"the last one that was published": {promotion.ReleaseSource{}, "", "v1.2.1"},
		"the highest that fits":           {promotion.ReleaseSource{Constraint: "^1"}, "", "v1.10.0"},
		"no prerelease":                   {promotion.ReleaseSource{Constraint: ">=2.0.0-0"}, "", ""},
		"a prerelease":                    {promotion.ReleaseSource{Constraint: ">=2.0.0-0", Prereleases: true}, "", "v2.0.0-rc.1"},
		"one that is named":               {promotion.ReleaseSource{Constraint: "^9"}, "nightly", "nightly"},
		"one that is not there":           {promotion.ReleaseSource{}, "v9", ""},
		"a prerelease that is named":      {promotion.ReleaseSource{}, "v2.0.0-rc.1", ""},
	} {
		got, err := chooseRelease(list, &c.src, c.version)
		if err != nil || got == nil && c.want != "" || got != nil && got.Tag != c.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestWhichTagIsTheNewest(t *testing.T) {
	tags := map[string]string{"v1.0.0": "c1", "v1.1.0": "c2", "v2.0.0": "c3", "latest": "c4"}
	for name, c := range map[string]struct {
		effect promotion.Effect
		tag    string
		gone   bool
	}{
		"the highest":         {promotion.Effect{}, "v1.1.0", false},
		"one that is named":   {promotion.Effect{Version: "v2.0.0"}, "v2.0.0", false},
		"one that is none":    {promotion.Effect{Version: "v3.0.0"}, "", false},
		"with its commit":     {promotion.Effect{Version: "v2.0.0@c3"}, "v2.0.0", false},
		"after it was moved":  {promotion.Effect{Known: &promotion.Artifact{Tag: "v1.1.0", Commit: "old"}}, "v1.1.0", false},
		"after it is deleted": {promotion.Effect{Known: &promotion.Artifact{Tag: "v1.2.0"}}, "v1.1.0", true},
	} {
		r, err := tagged(c.effect, promotion.TagRule{Constraint: "^1.0.0"}, tags, promotion.Artifact{Source: "app", Kind: "git"})
		if err != nil || (r.Gone != "") != c.gone || r.Artifact == nil && c.tag != "" {
			t.Errorf("%s: %+v, %v", name, r, err)
		} else if r.Artifact != nil && (r.Artifact.Tag != c.tag || r.Artifact.Commit != tags[c.tag]) {
			t.Errorf("%s: %+v", name, r.Artifact)
		}
	}
}

// A person who names a tag's commit means that one.
func TestATagThatIsAnotherCommit(t *testing.T) {
	_, err := tagged(promotion.Effect{Version: "v2.0.0@c9"}, promotion.TagRule{}, map[string]string{"v2.0.0": "c3"}, promotion.Artifact{Repo: "acme/app"})
	if !promotion.IsTerminal(err) || !strings.Contains(err.Error(), "the tag v2.0.0 of acme/app is c3, not c9") {
		t.Errorf("%v", err)
	}
}

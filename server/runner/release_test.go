package runner

import (
	"context"
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

// public tells of one public repository.
type public struct {
	GitHub
	repo *promotion.Repo
}

func (p public) Public(_ context.Context, _ promotion.Repo, owner, name string) (*promotion.Repo, error) {
	if p.repo != nil && p.repo.FullName() == owner+"/"+name {
		return p.repo, nil
	}
	return nil, nil
}

func TestWhatIsNotSharedAndNotThereIsToldAlike(t *testing.T) {
	own := promotion.Repo{ID: 1, Owner: "acme", Name: "gitops", Installation: 7}
	r := New(Options{GitHub: public{repo: &promotion.Repo{ID: 2, Owner: "octocat", Name: "open", Installation: 7}}})
	if repo, err := r.readable(t.Context(), own, "Acme/GitOps"); err != nil || repo != own {
		t.Errorf("its own: %+v, %v", repo, err)
	}
	if repo, err := r.readable(t.Context(), own, "octocat/open"); err != nil || repo.ID != 2 {
		t.Errorf("a public one: %+v, %v", repo, err)
	}
	if _, err := r.readable(t.Context(), own, "acme/secret"); !promotion.IsTerminal(err) {
		t.Errorf("one that is not there: %v", err)
	}
}

package config_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/promotion"
)

const sourceFile = `version: 1
sources:
  - name: web
    image: {repo: ghcr.io/acme/web, constraint: ^1.0.0, allowTags: '^v?\d', ignoreTags: debug, platform: linux/arm/v7, poll: 90s}
  - name: base
    image: {repo: localhost:5000/base, select: digest, constraint: latest}
  - name: chart
    chart: {repo: 'oci://ghcr.io/acme/charts/web', constraint: 2.x, poll: 1h}
  - name: http
    chart: {repo: 'https://charts.example.com/stable', name: web}
  - name: app
    release: {repo: acme/app, prereleases: true, constraint: ^3}
  - name: tags
    git: {repo: acme/platform, tags: {constraint: ^2.0.0, allowTags: '^v'}}
stages: [{name: dev}]
share: [acme/other, globex/gitops]
`

func TestSources(t *testing.T) {
	p, found := config.Parse(path, []byte(sourceFile))
	if p == nil {
		t.Fatal(list(found))
	}
	want := []promotion.Source{
		{Name: "web", Image: &promotion.ImageSource{Repo: "ghcr.io/acme/web", Platform: "linux/arm/v7", Poll: 90 * time.Second,
			TagRule: promotion.TagRule{Constraint: "^1.0.0", AllowTags: `^v?\d`, IgnoreTags: "debug"}}},
		{Name: "base", Image: &promotion.ImageSource{Repo: "localhost:5000/base", TagRule: promotion.TagRule{Select: "digest", Constraint: "latest"}}},
		{Name: "chart", Chart: &promotion.ChartSource{Repo: "oci://ghcr.io/acme/charts/web", Constraint: "2.x", Poll: time.Hour}},
		{Name: "http", Chart: &promotion.ChartSource{Repo: "https://charts.example.com/stable", Name: "web"}},
		{Name: "app", Release: &promotion.ReleaseSource{Repo: "acme/app", Prereleases: true, Constraint: "^3"}},
		{Name: "tags", Git: &promotion.GitSource{Repo: "acme/platform", Tags: &promotion.TagRule{Constraint: "^2.0.0", AllowTags: "^v"}}},
	}
	if diff := cmp.Diff(want, p.Sources); diff != "" {
		t.Error(diff)
	}
	with, alone := config.Shares([]byte(sourceFile))
	if !slices.Equal(with, []string{"acme/other", "globex/gitops"}) || alone {
		t.Errorf("shares with %q, alone %v", with, alone)
	}
}

func TestWrongSources(t *testing.T) {
	check := config.Options{CheckConstraint: func(s string) error {
		if s == "one" {
			return errors.New("no constraint")
		}
		return nil
	}}
	for source, want := range map[string]string{
		"image: {repo: 'https://ghcr.io/acme/web'}":                         "without https://",
		"image: {repo: ghcr.io/acme/web:1.0}":                               "names one version",
		"image: {repo: ghcr.io/acme/web@sha256}":                            "names one version",
		"image: {repo: ghcr.io/Acme/web}":                                   "no name of an image",
		"image: {repo: a/b, constraint: one}":                               "no constraint",
		"image: {repo: a/b, select: best}":                                  "cannot be `best`",
		"image: {repo: a/b, select: digest}":                                "needs `constraint`",
		"image: {repo: a/b, select: newest, constraint: ^1}":                "use `allowTags`",
		"image: {repo: a/b, allowTags: '('}":                                "no regular expression",
		"image: {repo: a/b, allowTags: '(?=a)'}":                            "no regular expression",
		"image: {repo: a/b, platform: amd64}":                               "no platform",
		"image: {repo: a/b, poll: 59s}":                                     "at least 1m",
		"image: {repo: a/b, poll: 60}":                                      "must be a duration",
		"image: {}":                                                         "needs the key `repo`",
		"chart: {repo: 'https://charts.example.com'}":                       "needs the key `name`",
		"chart: {repo: 'oci://ghcr.io'}":                                    "names a registry and no chart",
		"chart: {repo: 'oci://ghcr.io/a/b', name: b}":                       "`name` is not for",
		"chart: {repo: 'https://u:p@charts.example.com', name: b}":          "user or password",
		"chart: {repo: 'ftp://charts.example.com', name: b}":                "no address of charts",
		"chart: {repo: 'oci://ghcr.io/a/b', constraint: one}":               "no constraint",
		"release: {repo: app}":                                              "OWNER/NAME",
		"release: {repo: a/b, poll: 1s}":                                    "at least 1m",
		"git: {branch: main, tags: {}}":                                     "takes only one of `branch`, `tags`",
		"git: {paths: [a], tags: {}}":                                       "takes only one of `paths`, `tags`",
		"git: {tags: {constraint: one}}":                                    "no constraint",
		"git: {}, release: {repo: a/b}":                                     "takes only one of",
		"image: {repo: a/b, constraint: ^1, semver: true}":                  "unknown key `semver`",
		"chart: {repo: 'https://charts.example.com/index.yaml?x', name: b}": "holds a ? or #",
	} {
		in := "version: 1\nsources: [{name: a, " + source + "}]\nstages: [{name: dev}]\n"
		p, found := config.ParseWith(path, []byte(in), check)
		if p != nil || !strings.Contains(list(found), want) {
			t.Errorf("%s\ngot  %swant %s", source, list(found), want)
		}
	}
}

// A repository that is only a source of others has no pipeline of its own.
func TestAFileThatOnlyShares(t *testing.T) {
	file := []byte("version: 1\nshare: [acme/gitops]\n")
	set, found := config.ParseAll(map[string][]byte{path: file})
	if len(set.Pipelines)+len(set.Broken)+len(found) > 0 {
		t.Errorf("%+v, %s", set, list(found))
	}
	if with, alone := config.Shares(file); !slices.Equal(with, []string{"acme/gitops"}) || !alone {
		t.Errorf("shares with %q, alone %v", with, alone)
	}
	for _, in := range []string{"version: 1\nshare: [gitops]\n", "version: 1\nshare: []\n", "share: [a/b]\n", "version: 1\nshare: [a/b]\nvars: {}\n"} {
		set, found := config.ParseAll(map[string][]byte{path: []byte(in)})
		if len(set.Broken) != 1 || len(found) == 0 {
			t.Errorf("%q is taken", in)
		}
	}
	if with, _ := config.Shares([]byte("version: 1\nshare: [gitops, acme/b]\n")); with != nil {
		t.Errorf("a wrong list shares with %q", with)
	}
	set, _ = config.ParseAll(map[string][]byte{".github/stagecoach/web.yml": file})
	if len(set.Broken) != 1 {
		t.Error("share is taken in another file")
	}
}

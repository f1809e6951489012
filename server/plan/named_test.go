package plan

import (
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

func TestVersionsOfEveryKind(t *testing.T) {
	p := &promotion.Pipeline{Name: "default", Sources: []promotion.Source{
		{Name: "web", Image: &promotion.ImageSource{Repo: "ghcr.io/acme/web"}},
		{Name: "oci", Chart: &promotion.ChartSource{Repo: "oci://ghcr.io/acme/charts/web"}},
		{Name: "http", Chart: &promotion.ChartSource{Repo: "https://charts.example.com/", Name: "web"}},
		{Name: "app", Release: &promotion.ReleaseSource{Repo: "acme/app"}},
		{Name: "tags", Git: &promotion.GitSource{Repo: "acme/platform", Tags: &promotion.TagRule{}}},
	}}
	versions := func() map[string]string {
		return map[string]string{"web": "1.4.2@sha256:abc", "oci": "2.0.1", "http": "2.0.2", "app": "v3", "tags": "v4"}
	}
	f, err := Freight(t.Context(), nil, p, "main", versions(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string]promotion.Artifact{
		"web":  {Source: "web", Kind: "image", Repo: "ghcr.io/acme/web", Tag: "1.4.2", Digest: "sha256:abc"},
		"oci":  {Source: "oci", Kind: "chart", Repo: "oci://ghcr.io/acme/charts/web", Tag: "2.0.1"},
		"http": {Source: "http", Kind: "chart", Repo: "https://charts.example.com/web", Tag: "2.0.2"},
		"app":  {Source: "app", Kind: "release", Repo: "acme/app", Tag: "v3"},
		"tags": {Source: "tags", Kind: "git", Repo: "acme/platform", Tag: "v4"},
	} {
		if got, _ := f.Artifact(source); got != want {
			t.Errorf("%s: %+v, want %+v", source, got, want)
		}
	}
	for source, wrong := range map[string]string{"web": "1.4.2@md5:a", "oci": "2@sha256:a", "app": ""} {
		named := versions()
		named[source] = wrong
		if _, err := Freight(t.Context(), nil, p, "main", named, time.Time{}); err == nil || !strings.Contains(err.Error(), source) {
			t.Errorf("%s=%q: %v", source, wrong, err)
		}
	}
}

package config_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// The shared vectors of step configs: valid or not.
func TestVectors(t *testing.T) {
	raw, err := os.ReadFile(shared(t, "vectors", "steps", "config-validation.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Step, Name string
		Config     json.RawMessage
		Valid      bool
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Step+"/"+c.Name, func(t *testing.T) {
			want, foreign := c.Valid, slices.Contains(kargoAlone, c.Step)
			if foreign == (promotion.KindOf(c.Step) != nil) {
				t.Fatalf("kargoAlone says %v of %s", foreign, c.Step)
			}
			if otherwise[c.Step+"/"+c.Name] != "" {
				want = !c.Valid
			}
			want = want && !foreign // what we do not run is refused, whatever its config
			in := fmt.Sprintf("%sstages: [{name: dev, deliver: none, steps: [{uses: %s, config: %s}]}]", head, c.Step, c.Config)
			pipeline, found := config.Parse(path, []byte(in))
			if (pipeline != nil) != want {
				t.Errorf("%s\nvalid %v, want %v\n%s", c.Config, pipeline != nil, want, list(found))
			}
		})
	}
}

// Why a vector is decided otherwise: by the vocabulary of promotion, which
// fills in more than Kargo does and does not have all of its keys.
const (
	hasDefault = "Stagecoach has a default for the key that Kargo requires"
	refused    = "the key is refused, with what to do in its place"
)

// kargoAlone are Kargo's steps that Stagecoach does not run.
var kargoAlone = []string{"argocd-update", "argocd-wait", "github-push", "http", "set-freight-alias", "tar", "untar"}

// otherwise are vectors to which our answer is the other one, and why.
var otherwise = map[string]string{
	"git-clone/signingKey is empty string":     refused, // author
	"git-clone/signingKey is missing":          refused,
	"git-clone/checkout path is not specified": hasDefault,
	"git-commit/valid kitchen sink":            refused, // signingKey
	"git-commit/message is not specified":      hasDefault,
	"git-commit/path not specified":            hasDefault,
	"git-merge-pr/repoURL not specified":       hasDefault,
	"git-merge-pr/prNumber not specified":      hasDefault,
	"git-open-pr/repoURL not specified":        hasDefault,
	"git-open-pr/targetBranch not specified":   hasDefault,
	"git-wait-for-pr/repoURL not specified":    hasDefault,
	"git-wait-for-pr/prNumber not specified":   hasDefault,
	"git-push/path not specified":              hasDefault,
	"git-push/force is true":                   refused, // Stagecoach never pushes over somebody's commit
	"git-tag/path not specified":               hasDefault,
	"git-tag/valid config with force":          refused, // tags are never moved
}

// shared finds a file of the shared folder beside the repository.
func shared(t *testing.T, path ...string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		file := filepath.Join(append([]string{dir, "shared"}, path...)...)
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	t.Skipf("the shared vectors (%s) are not beside this repository; the tables of this package stand alone", filepath.Join(path...))
	return ""
}

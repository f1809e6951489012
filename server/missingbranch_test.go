package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// A stage whose branch does not exist yet gets it, empty, whether it delivers by pull
// request or the steps do the git work in Kargo's words.
func TestAPullRequestIntoAMissingBranch(t *testing.T) {
	t.Parallel()
	w := started(t, map[string]string{
		"app/a": "1",
		".github/stagecoach.yml": `version: 1
sources:
  - name: app
    git: {branch: main, paths: [app/**]}
stages:
  - name: dev
    promote: auto
    branch: env/dev
    steps: [{uses: file-write, config: {path: version, contents: '${{ freight.app.commit }}'}}]
  - name: kargo
    promote: auto
    deliver: none
    branch: env/kargo
    steps:
      - {uses: git-clone, config: {checkout: [{path: out, branch: env/kargo, create: true}]}}
      - {uses: file-write, config: {path: out/version, contents: '${{ freight.app.commit }}'}}
      - {uses: git-commit, config: {path: out}}
      - {uses: git-push, as: push, config: {path: out, generateTargetBranch: true}}
      - uses: git-open-pr
        config: {sourceBranch: '${{ outputs.push.branch }}', targetBranch: env/kargo, createTargetBranch: true, labels: [infra]}
      - uses: git-wait-for-pr
`,
	})
	w.Until("both pull requests are open", func() bool { return len(w.Open()) == 2 })
	w.Settle()
	for _, pr := range w.Open() {
		if tip := w.Sim.Branches(w.Repo)[pr.Base]; !strings.HasPrefix(pr.Base, "env/") || tip == "" {
			t.Errorf("%+v goes to a branch that is not there", pr)
		}
		if want := map[string]string{"env/dev": "[]", "env/kargo": "[infra]"}[pr.Base]; fmt.Sprint(pr.Labels) != want {
			t.Errorf("%s has the labels %v, want %s", pr.Base, pr.Labels, want)
		}
		if _, err := w.Sim.As("octocat").Merge(w.Repo, pr.Number, "squash"); err != nil {
			t.Error(err)
		}
	}
	w.Settle()
	state, err := w.Ledger()
	if err != nil {
		t.Fatal(err)
	}
	ended := state.Pipelines["default"].Promotions
	for _, p := range ended {
		if p.Phase != promotion.PhaseSucceeded {
			t.Errorf("%s is %s: %s", p.Name, p.Phase, p.Message)
		}
	}
	if len(ended) != 2 {
		t.Errorf("%d promotions, want 2", len(ended))
	}
}

package config_test

import (
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/promotion/expr"
)

// The two rooms fit together: expressions are judged by promotion/expr.
func TestWithExpressions(t *testing.T) {
	options := config.Options{CheckExpression: expr.Check, CheckCondition: expr.CheckCondition}
	if pipeline, found := config.ParseWith(path, []byte(everything), options); pipeline == nil {
		t.Fatal(list(found))
	}
	in := head + `stages:
  - name: dev
    pullRequest: {title: 'Promote ${{ freigt.config.commit }}'}
    steps:
      - {uses: git-push, if: succes()}
      - {uses: copy, config: {inPath: 'a/${{ 1 + }}', outPath: '${{ semverDiff("1") }}'}}
`
	_, found := config.ParseWith(path, []byte(in), options)
	want := []string{
		`5:26: there is no "freigt" in ${{ freigt.config.commit }} at character 1; did you mean "freight"?`,
		`7:30: there is no "succes" in ${{ succes() }} at character 1; did you mean "success"?`,
		`8:39: unexpected token EOF in ${{ 1 + }} at character`,
		`8:64: not enough arguments to call semverDiff in ${{ semverDiff("1") }}`,
	}
	text := list(found)
	for _, line := range want {
		if !strings.Contains(text, line) {
			t.Errorf("got\n%swant\n%s", text, line)
		}
	}
	if len(found) != len(want) {
		t.Errorf("%d diagnostics, want %d:\n%s", len(found), len(want), text)
	}
}

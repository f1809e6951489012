package config_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/window"
)

const path = ".github/stagecoach.yml"

// head is a file up to its stages.
const head = "version: 1\nsources: [{name: config, git: {}}]\n"

const everything = `
version: 1
sources:
  - name: config
    git: {repo: acme/platform, branch: main, paths: [base/**], ignore: ['**/*.md']}
  - {name: app, git: {}}
vars: &shared {team: platform, big: 123456789012345678901234567890, ratio: 1.50, when: 2026-01-02, word: yes, nothing: null, hex: 0x1F}
commits: {verified: true}
stages:
  - name: dev
    promote: auto
    deliver: commit
    steps:
      - uses: yaml-update
        as: edit
        if: ${{ success() }}
        config:
          path: envs/dev.yaml
          updates: [{key: a.b, value: 007}, {key: c, value: '1.10'}, {key: d, value: "${{ vars.big }}"}]
        vars: {<<: *shared, team: web}
        retry: {errorThreshold: 3, timeout: 1h30m}
        continueOnError: true
  - name: prod
    after: [dev]
    afterMode: any
    branch: env/prod
    deliver: pull-request
    pullRequest: {title: 'Promote ${{ freight.app.commit }}', body: b, draft: true, merge: manual, labels: [promotion], reviewers: [octocat], teamReviewers: [sre]}
    vars: {replicas: 3}
    supersede: open
    gates:
      soak: 30m
      checks: [e2e, 'argocd/*']
      approvals: {count: 2, teams: [sre], users: [hubot], excludeRequester: true}
      windows: [{allow: Mon-Fri 09:00-17:00, timezone: Europe/Berlin}, {deny: 12-20..01-03}]
    steps: [{uses: copy, config: {inPath: a, outPath: b}}]
    verify: {checks: [argocd/web], timeout: 45m, onFailure: rollback}
    allow: {teams: [sre], users: [octocat]}
    environment: Produktion / EU
    timeout: 7d
  - name: done
    after: [prod]
    supersede: never
`

func TestParseEverything(t *testing.T) {
	got, found := config.Parse(path, []byte(everything))
	if len(found) > 0 {
		t.Fatal(found)
	}
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	shared := map[string]json.RawMessage{
		"team": raw(`"platform"`), "big": raw("123456789012345678901234567890"), "ratio": raw("1.50"),
		"when": raw(`"2026-01-02"`), "word": raw(`"yes"`), "nothing": raw("null"), "hex": raw("31"),
	}
	stepVars := map[string]json.RawMessage{}
	for k, v := range shared {
		stepVars[k] = v
	}
	stepVars["team"] = raw(`"web"`)
	want := &promotion.Pipeline{
		Verified: true,
		Name:     "default", Path: path, Vars: shared,
		Sources: []promotion.Source{
			{Name: "config", Git: &promotion.GitSource{Repo: "acme/platform", Branch: "main", Paths: []string{"base/**"}, Ignore: []string{"**/*.md"}}},
			{Name: "app", Git: &promotion.GitSource{}},
		},
		Stages: []promotion.Stage{
			{
				Name: "dev", AfterMode: promotion.AfterAll, Auto: true, Deliver: promotion.DeliverCommit, Supersede: promotion.SupersedeQueued,
				Steps: []promotion.Step{{
					Uses: "yaml-update", As: "edit", If: "${{ success() }}", Vars: stepVars, Retry: promotion.Retry{ErrorThreshold: 3, Timeout: 90 * time.Minute}, ContinueOnError: true,
					Config: raw(`{"path":"envs/dev.yaml","updates":[{"key":"a.b","value":7},{"key":"c","value":"1.10"},{"key":"d","value":"${{ vars.big }}"}]}`),
				}},
			},
			{
				Name: "prod", After: []string{"dev"}, AfterMode: promotion.AfterAny, Branch: "env/prod", Deliver: promotion.DeliverPullRequest, Supersede: promotion.SupersedeOpen,
				PullRequest: promotion.PullRequestOptions{Title: "Promote ${{ freight.app.commit }}", Body: "b", Draft: true, Merge: promotion.MergeManual, Labels: []string{"promotion"}, Reviewers: []string{"octocat"}, TeamReviewers: []string{"sre"}},
				Vars:        map[string]json.RawMessage{"replicas": raw("3")},
				Steps:       []promotion.Step{{Uses: "copy", Config: raw(`{"inPath":"a","outPath":"b"}`)}},
				Gates: promotion.Gates{
					Soak: 30 * time.Minute, Checks: []string{"e2e", "argocd/*"},
					Approvals: &promotion.Approvals{Count: 2, Teams: []string{"sre"}, Users: []string{"hubot"}, ExcludeRequester: true},
					Windows:   []window.Window{{Allow: "Mon-Fri 09:00-17:00", Timezone: "Europe/Berlin"}, {Deny: "12-20..01-03"}},
				},
				Verify: &promotion.Verify{Checks: []string{"argocd/web"}, Timeout: 45 * time.Minute, OnFailure: promotion.OnFailureRollback},
				Allow:  &promotion.Allow{Teams: []string{"sre"}, Users: []string{"octocat"}},

				Environment: "Produktion / EU",
				Timeout:     7 * 24 * time.Hour,
			},
			{Name: "done", After: []string{"prod"}, AfterMode: promotion.AfterAll, Deliver: promotion.DeliverPullRequest, Supersede: promotion.SupersedeNever},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestParseErrors(t *testing.T) {
	stage := func(s string) string { return head + "stages:\n  - name: dev\n    " + s }
	step := func(s string) string { return stage("steps:\n      - " + s) }
	tests := []struct{ name, in, want string }{
		{"empty", "", "1:1: the file is empty"},
		{"only a comment", "# nothing\n", "1:1: the file is empty"},
		{"null", "~\n", "1:1: the file is empty"},
		{"not YAML", "version: 1\nstages: [\n", "this is not YAML: did not find expected node content"},
		{"not YAML either", "a: b: c\n", "1:1: this is not YAML: mapping values are not allowed in this context"},
		{"unknown anchor", "version: *x\n", "this is not YAML: unknown anchor 'x' referenced"},
		{"two documents", head + "stages: [{name: dev}]\n---\nversion: 1\n", "4:1: a pipeline file holds one YAML document"},
		{"no object", "[1]\n", "1:1: a pipeline file must be an object, not a list"},
		{"missing", "version: 1\n", "1:1: a pipeline file needs the key `stages`"},
		{"no sources", "version: 1\nsources: []\nstages: [{name: dev}]\n", "2:10: `sources` must not be empty"},
		{"version", "version: 2\n", "1:10: `version` cannot be `2`; known: 1"},
		{"version as text", "version: '1'\n", "1:10: `version` must be an integer, not the text \"1\"; take the quotes off"},
		{"unknown key", head + "stagse: []\n", "3:1: unknown key `stagse` in a pipeline file (did you mean `stages`?)"},
		{"unknown key, far away", stage("zzzzzzzz: 1"), "5:5: unknown key `zzzzzzzz` in an item of `stages`"},
		{"twice", head + "stages: [{name: dev}]\nstages: [{name: dev}]\n", "4:1: the key `stages` stands here a second time; it is on line 3 already"},
		{"twice in vars", head + "vars: {a: 1, a: 2}\n", "3:14: the key `a` stands here a second time"},
		{"key is a list", head + "vars: {[a]: 1}\n", "3:8: a key must be text, not a list"},
		{"wrong type", stage("after: dev"), "5:12: `after` must be a list, not the text \"dev\""},
		{"number for text", stage("branch: 1.10"), "5:13: `branch` must be text, not the number 1.10; if you mean the text, write '1.10'"},
		{"yes", stage("pullRequest: {draft: yes}"), "5:26: `draft` must be true or false, not the text \"yes\"; write true or false"},
		{"nothing", stage("steps:"), "`steps` must be a list, not nothing"},
		{"enum", stage("deliver: comit"), "5:14: `deliver` cannot be `comit` (did you mean `commit`?)"},
		{"after unknown", stage("after: [dve]"), "5:13: there is no stage `dve` (did you mean `dev`?)"},
		{"after itself", stage("after: [dev]"), "5:12: stages wait for each other in a circle: dev → dev"},
		{"after twice", head + "stages: [{name: a}, {name: b, after: [a, a]}]", "3:42: `a` stands in `after` twice"},
		{"circle", head + "stages: [{name: a, after: [c]}, {name: b, after: [a]}, {name: c, after: [b]}]", "3:27: stages wait for each other in a circle: a → c → b → a"},
		{"stage twice", head + "stages: [{name: a}, {name: a}]", "3:28: a stage called `a` is on line 3 already"},
		{"source twice", "version: 1\nsources: [{name: a, git: {}}, {name: a, git: {}}]\nstages: [{name: b}]", "2:38: a source called `a` is on line 2 already"},
		{"alias twice", stage("steps: [{uses: git-push, as: a}, {uses: git-push, as: a}]"), "a step called `a` is on line 5 already"},
		{"name", head + "stages: [{name: Dev}]", `3:17: ` + "`name`" + `: the name "Dev" may hold only a-z, 0-9 and -`},
		{"name with dash", head + "stages: [{name: dev-}]", "must not begin or end with -"},
		{"name all", head + "stages: [{name: all}]", `the name "all" is taken`},
		{"long name", head + "stages: [{name: " + strings.Repeat("a", 41) + "}]", "has 41 characters; at most 40 are allowed"},
		{"empty name", head + "stages: [{name: ''}]", "`name` must not be empty"},
		{"no name", head + "stages: [{promote: auto}]", "3:10: an item of `stages` needs the key `name`"},
		{"no kind of source", "version: 1\nsources: [{name: a}]\nstages: [{name: b}]", "2:11: an item of `sources` needs one of `git`"},
		{"repo", "version: 1\nsources: [{name: a, git: {repo: 'https://x/y'}}]\nstages: [{name: b}]", "is no repository of this GitHub; write OWNER/NAME"},
		{"branch", stage("branch: refs/heads/main"), `write the branch alone, as in "main"`},
		{"branch with space", stage("branch: a b"), "is no name that git allows for a branch"},
		{"no uses", step("config: {}"), "6:9: an item of `steps` needs the key `uses`"},
		{"unknown step", step("uses: yaml-updat"), "6:15: there is no step `yaml-updat` (did you mean `yaml-update`?)"},
		{"an empty object", step("uses: set-metadata\n        config: {updates: [{kind: Stage, name: dev, values: {}}]}"), "7:61: `values` must not be empty"},
		{"a pattern", step("uses: regex-update\n        config: {path: a, updates: [{pattern: '(a', value: b}]}"), "7:47: `pattern`: \"(a\" is no regular expression of RE2"},
		{"an expression over a file", step("uses: yaml-parse\n        config: {path: a, outputs: [{name: b, fromExpression: BAD}]}"), "7:63: bad document"},
		{"a number that is too small", step("uses: git-wait-for-pr\n        config: {prNumber: 0}"), "7:28: `prNumber`: 0 is too small; at least 1 is allowed"},
		{"an interval", step("uses: git-wait-for-pr\n        config: {pollInterval: soon}"), "7:32: `pollInterval`: \"soon\" is no duration"},
		{"another provider", step("uses: git-open-pr\n        config: {provider: gitlab}"), "7:28: `provider` cannot be `gitlab` (did you mean `github`?)"},
		{"no config", step("uses: copy"), "6:15: the config of `copy` needs the key `inPath`"},
		{"config key", step("uses: copy\n        config: {inPath: a, outpath: b}"), "7:29: unknown key `outpath` in the config of `copy` (did you mean `outPath`?)"},
		{"config type", step("uses: copy\n        config: {inPath: [a], outPath: b}"), "7:26: `inPath` must be text, not a list"},
		{"config is text", step("uses: copy\n        config: ${{ vars.x }}"), "7:17: `config` must be an object"},
		{"list item", step("uses: yaml-update\n        config: {path: a, updates: [{key: a}]}"), "7:37: an item of `updates` needs the key `value`"},
		{"empty list", step("uses: yaml-update\n        config: {path: a, updates: []}"), "`updates` must not be empty"},
		{"value is a list", step("uses: yaml-update\n        config: {path: a, updates: [{key: a, value: [1]}]}"), "`value` must be a single value, not a list"},
		{"one of", step("uses: git-clone\n        config: {checkout: [{branch: a, tag: b}, {}]}"), "7:41: an item of `checkout` takes only one of `branch`, `commit`, `tag`"},
		{"one of git-push", step("uses: git-push\n        config: {targetBranch: a, generateTargetBranch: true}"), "7:35: the config of `git-push` takes only one of `targetBranch`, `generateTargetBranch`, `tag`"},
		{"empty text", step("uses: git-open-pr\n        config: {title: ''}"), "7:25: `title` must not be empty; leave it out"},
		{"empty required text", step("uses: copy\n        config: {inPath: '', outPath: b}"), "7:26: `inPath` must not be empty"},
		{"half an author", step("uses: git-commit\n        config: {author: {name: hubot}}"), "`author` needs the key `email`"},
		{"alias", step("uses: git-push\n        as: step-1"), "is what a step without `as` is called"},
		{"threshold", step("uses: git-push\n        retry: {errorThreshold: 0}"), "0 is not a number from 1 to 100"},
		{"no number", head + "vars: {a: .nan}\n", "3:11: .nan is no number that can be written"},
		{"tag", head + "vars: {a: !secret x}\n", "3:11: the tag !secret means nothing here"},
		{"if", step("uses: git-push\n        if: BAD"), "7:13: bad condition"},
		{"expression", step("uses: copy\n        config: {inPath: '${{ BAD }}', outPath: b}"), "7:26: bad expression"},
		{"expression in vars", head + "vars: {a: ['${{ BAD }}']}\n", "3:12: bad expression"},
		{"expression in title", stage("pullRequest: {title: 'x ${{ BAD }}'}"), "5:26: bad expression"},
		{"delivery", stage("branch: env\n    steps: [{uses: git-clone, config: {checkout: [{branch: src}, {tag: v1}]}}]"),
			"6:50: stage `dev` delivers to the branch `env` (`deliver: pull-request`), but no checkout of its `git-clone` is of that branch"},
		{"delivery by several", stage("branch: env\n    steps: [{uses: git-clone, config: {checkout: [{branch: src}]}}, {uses: git-clone, config: {checkout: [{tag: v1}]}}]"), "no checkout of its `git-clone` is of that branch"},
		{"address", step("uses: git-clone\n        config: {repoURL: 'https://github.com/acme', checkout: [{}]}"), "7:27: `repoURL`: \"https://github.com/acme\" leads to no repository; write https://github.com/OWNER/NAME, or OWNER/NAME"},
		{"checkouts of one name", step("uses: git-clone\n        config: {checkout: [{as: a}, {as: a, path: b}]}"), "7:43: a checkout called `a` is on line 7 already"},
		{"force", step("uses: git-push\n        config: {force: true}"), "7:18: `force` cannot be used in the config of `git-push`: a push never goes over somebody's commit"},
		{"force by an expression", step("uses: git-push\n        config: {force: '${{ vars.force }}'}"), "7:18: `force` cannot be used in the config of `git-push`"},
		{"force of a tag", step("uses: git-tag\n        config: {tag: v1, force: true}"), "7:27: `force` cannot be used in the config of `git-tag`: a tag is never moved"},
		{"signing key", step("uses: git-commit\n        config: {author: {name: a, email: b, signingKey: k}}"), "7:46: `signingKey` cannot be used in `author`: no key of yours is kept here; `commits: {verified: true}` has GitHub sign the commits"},
		{"author of a clone", step("uses: git-clone\n        config: {author: {name: a}, checkout: [{}]}"), "7:18: `author` cannot be used in the config of `git-clone`: name the author in `git-commit`"},
		{"sparse", step("uses: git-clone\n        config: {checkout: [{sparse: [a]}]}"), "`sparse` cannot be used in an item of `checkout`: all folders are there"},
		{"too many attempts", step("uses: git-push\n        config: {maxAttempts: 2147483648}"), "`maxAttempts`: 2147483648 is too large; at most 2147483647 is allowed"},
		{"delivery to the default branch", stage("deliver: commit\n    steps: [{uses: git-clone, config: {checkout: [{commit: abc}]}}]"), "delivers to the default branch"},
		{"deep", head + "vars: {a: " + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "}\n", "nested more than 64 deep"},
		{"alias of itself", head + "vars: {a: &a [*a]}\n", "an alias refers to itself"},
		{"laughs", laughs(), "too large with its aliases written out"},
		{"many stages", head + "stages: [" + strings.Repeat("{name: a}, ", 201) + "]", "3:9: `stages` holds 201 items; at most 200 are allowed"},
		{"large", "#" + strings.Repeat("x", 1<<20), "1:1: the file has 1048577 bytes; at most 1048576 are allowed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pipeline, found := config.ParseWith(path, []byte(tt.in), checks)
			if pipeline != nil {
				t.Error("a pipeline in spite of errors")
			}
			if text := list(found); !strings.Contains(text, tt.want) {
				t.Errorf("got\n%swant\n%s", text, tt.want)
			}
		})
	}
}

// checks stand in for promotion/expr.
var checks = config.Options{
	CheckExpression: bad("bad expression"), CheckCondition: bad("bad condition"), CheckDocument: bad("bad document"),
}

func bad(text string) func(string) error {
	return func(s string) error {
		if strings.Contains(s, "BAD") {
			return errors.New(text + "\nmore")
		}
		return nil
	}
}

func list(found []config.Diagnostic) string {
	var b strings.Builder
	for _, d := range found {
		b.WriteString(d.String() + "\n")
	}
	return b.String()
}

// laughs is a small file that aliases make huge.
func laughs() string {
	var b strings.Builder
	b.WriteString(head + "vars:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 10; i++ {
		fmt.Fprintf(&b, "  a%d: &a%d [%s*a%d]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), i-1)
	}
	return b.String()
}

// Files that are wrong in many places are still read at once: pull requests
// from strangers bring them.
func TestParseIsQuick(t *testing.T) {
	many := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	tests := map[string]string{
		"unknown stages":  head + "stages:\n" + many("- {name: stage-%[1]d, after: [stagf-%[1]d]}\n", 200),
		"too many stages": head + "stages:\n" + many("- {name: stage-%[1]d, after: [stagf-%[1]d]}\n", 8000),
		"unknown keys":    many("key%d: 1\n", 12000),
		"unknown aliases": head + "stages:\n- name: a\n  steps:\n" + many("  - {uses: git-push, as: a%[1]d, vars: {a: '${{ outputs.b%[1]d }}'}}\n", 200),
		"nested lists":    strings.Repeat("[", 9000),
		"mentions":        head + "stages: [{name: dev, vars: {a: '${{ " + strings.Repeat("freight.zzzz ", 20000) + "}}'}}]",
	}
	for name, in := range tests {
		start := time.Now()
		_, found := config.Parse(path, []byte(in))
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%s took %v", name, d)
		}
		if len(found) == 0 || len(found) > 100 {
			t.Errorf("%s: %d diagnostics", name, len(found))
		}
	}
}

const oneStage = head + "stages:\n  - name: dev\n    "

// accepted are files without fault.
var accepted = map[string]string{
	"the name of an environment":     oneStage + "environment: staging",
	"a stage that only joins":        head + "stages: [{name: dev}]",
	"deliver none":                   oneStage + "deliver: none\n    steps: [{uses: git-clone, config: {checkout: [{tag: v1}]}}]",
	"checkout of the branch":         oneStage + "branch: env\n    steps: [{uses: git-clone, config: {checkout: [{tag: v1, path: a}, {branch: env}]}}]",
	"checkout by expression":         oneStage + "branch: env\n    steps: [{uses: git-clone, config: {checkout: [{branch: 'env/${{ ctx.stage }}'}]}}]",
	"steps after the delivery":       oneStage + "deliver: commit\n    steps: [{uses: git-commit}, {uses: copy, config: {inPath: a, outPath: b}}]",
	"an expression for any type":     oneStage + "steps: [{uses: git-open-pr, config: {draft: '${{ ctx.draft }}'}}, {uses: git-wait-for-pr, config: {prNumber: '${% 1 %}'}}]",
	"an expression for a whole list": oneStage + "steps: [{uses: yaml-update, config: {path: a, updates: '${{ ctx.updates }}'}}]",
	"a group where one is empty":     oneStage + "steps: [{uses: kustomize-set-image, config: {path: a, images: [{image: a, tag: b, digest: ''}]}}]",
	"a tag":                          oneStage + "deliver: none\n    steps: [{uses: git-tag, config: {tag: v1, message: x, tagger: {name: a, email: b}}}, {uses: git-push, config: {tag: v1}}]",
	"merged keys":                    head + "vars: {x: &x {a: 1}, y: &y {b: 2}, z: {<<: [*x, *y], a: 3}}\nstages: [{name: dev}]",
	"windows line ends":              strings.ReplaceAll(head+"stages: [{name: dev}]\n", "\n", "\r\n"),
	"what the format has":            everything,
}

func TestAccepted(t *testing.T) {
	for name, in := range accepted {
		pipeline, found := config.ParseWith(path, []byte(in), checks)
		if pipeline == nil || len(found) > 0 {
			t.Errorf("%s: %s", name, list(found))
		}
	}
}

func TestReferences(t *testing.T) {
	in := head + `vars: {team: platform}
stages:
  - name: dev
    vars: {v: '${{ freight.confg.commit }}', w: '${{ vars.team + vars.u }}'}
    pullRequest: {title: '${{ outputs.opn.x }}', body: '${{ vars.tean }}'}
    steps:
      - {uses: git-open-pr, as: open, if: outputs.none.x == 1, config: {title: '${{ outputs.open.x }} ${{ freight["config"].commit }}'}}
      - {uses: git-wait-for-pr, vars: {n: 1}, config: {prNumber: '${{ outputs.open.pr.id + vars.n + vars.v + vars.w + vars["team"] }}'}}
      - {uses: git-wait-for-pr, config: {prNumber: '${{ outputs["oppen"].pr.id + outputs["step-2"].x + outputs.zzz?.a + vars.freight.b ?? vars.x ?? 1 }}'}}
      - {uses: compose-output, config: {a: "${{ stageMetadata('dev').a + stageMetadata('def').b + vars.n }}"}}
`
	pipeline, found := config.Parse(path, []byte(in))
	warning := func(place, text string) string {
		return ".github/stagecoach.yml:" + place + ": warning: " + text + "\n"
	}
	want := warning("6:15", "there is no source `confg` (did you mean `config`?)") +
		warning("6:49", "there is no var `u`") +
		warning("7:26", "no step before this one is called `opn` (did you mean `open`?)") +
		warning("7:56", "there is no var `tean` (did you mean `team`?)") +
		warning("9:43", "no step before this one is called `none`") +
		warning("9:80", "no step before this one is called `open`") +
		warning("11:52", "no step before this one is called `oppen` (did you mean `open`?)") +
		warning("11:52", "there is no var `freight`") +
		warning("12:44", "there is no stage `def` (did you mean `dev`?)") +
		warning("12:44", "there is no var `n`")
	if diff := cmp.Diff(want, list(found)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if pipeline == nil {
		t.Error("warnings keep nothing from running")
	}
}

func TestPipelineName(t *testing.T) {
	tests := []struct {
		path, name string
		ok         bool
	}{
		{".github/stagecoach.yml", "default", true},
		{".github/stagecoach.yaml", "default", true},
		{".github/stagecoach/web.yml", "web", true},
		{".github/stagecoach/web.yaml", "web", true},
		{".github/stagecoach/Web.yml", "Web", true},
		{".github/stagecoach/a/b.yml", "a/b", false},
		{".github/stagecoach/.yml", "", false},
		{".github/stagecoach/web.json", "", false},
		{"stagecoach.yml", "", false},
		{"x/.github/stagecoach.yml", "", false},
	}
	for _, tt := range tests {
		name, ok := config.PipelineName(tt.path)
		if ok != tt.ok || ok && name != tt.name {
			t.Errorf("PipelineName(%q) = %q, %v", tt.path, name, ok)
		}
	}
	if _, found := config.Parse(".github/stagecoach/Web.yml", []byte(head+"stages: [{name: dev}]")); !strings.Contains(list(found), "called after its file") {
		t.Errorf("got %v", found)
	}
	if p, _ := config.Parse("clone/.github/stagecoach/web.yml", []byte(head+"stages: [{name: dev}]")); p == nil || p.Name != "web" {
		t.Errorf("got %+v", p)
	}
}

func TestParseAll(t *testing.T) {
	good := []byte(head + "stages: [{name: dev}]")
	set, found := config.ParseAll(map[string][]byte{
		".github/stagecoach.yml": good, ".github/stagecoach/web.yml": good, ".github/stagecoach/web.yaml": good,
		".github/stagecoach/bad.yml": []byte("version: 1\nstagse: []"), "README.md": []byte("x"),
	})
	if len(set.Pipelines) != 1 || set.Pipelines["default"] == nil {
		t.Errorf("pipelines: %v", set.Pipelines)
	}
	if len(set.Broken["web"]) != 2 || set.Broken["web"][0].File != ".github/stagecoach/web.yaml" || set.Broken["web"][1].File != ".github/stagecoach/web.yml" {
		t.Errorf("web: %v", set.Broken["web"])
	}
	if bad := set.Broken["bad"]; len(bad) == 0 || bad[len(bad)-1].Suggestion != "stages" || bad[len(bad)-1].Line != 2 {
		t.Errorf("bad: %+v", bad)
	}
	if len(set.Broken) != 2 || !config.HasErrors(found) {
		t.Errorf("got %v", found)
	}
	if set, found := config.ParseAll(nil); len(set.Pipelines)+len(set.Broken)+len(found) != 0 {
		t.Error("something came of nothing")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(everything)
	f.Add(laughs())
	f.Add(gated("gates: {soak: 1h30m, windows: [{deny: 12-20..01-03, timezone: Europe/Berlin}], approvals: {teams: [sre]}}\n    allow: {users: [octocat]}"))
	f.Add("a: &a {<<: *a}\n")
	f.Add(head + "stages: [{name: a, after: [a], steps: [{uses: git-clone, config: {checkout: [{}]}}]}]")
	f.Fuzz(func(t *testing.T, in string) {
		pipeline, found := config.Parse(path, []byte(in))
		if (pipeline == nil) != config.HasErrors(found) {
			t.Errorf("pipeline %v with %v", pipeline, found)
		}
		for _, d := range found {
			if d.Line < 1 || d.Column < 1 || d.Message == "" || d.File != path {
				t.Errorf("%+v", d)
			}
		}
		if pipeline != nil {
			if _, err := json.Marshal(pipeline); err != nil {
				t.Error(err)
			}
		}
	})
}

// A step that Kargo has and we have not is refused with what does its work here.
func TestStepsOfKargo(t *testing.T) {
	for uses, want := range map[string]string{
		"argocd-update": "Argo CD follows the branch by itself", "http": "steps call no other services", "tf-plan": "let a workflow apply the change",
		"gh-add-comment": "steps write no other issues or comments", "wait-for-approval": "use the gate `approvals`", "argocd-updates": "there is no step `argocd-updates`",
	} {
		_, found := config.Parse(".github/stagecoach.yml", []byte("version: 1\nsources: [{name: app, git: {}}]\nstages:\n- name: dev\n  steps:\n  - uses: "+uses+"\n    config: {path: x}\n"))
		if len(found) != 1 || found[0].Line != 6 || found[0].Column != 11 || !strings.Contains(found[0].Message, want) || strings.Contains(found[0].Message, "did you mean") {
			t.Errorf("%s: %+v", uses, found)
		}
	}
	for _, kind := range promotion.Kinds {
		if promotion.InsteadOf(kind.Uses) != "" {
			t.Errorf("there is a step %s", kind.Uses)
		}
	}
}

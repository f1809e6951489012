package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/config"
)

// gated is a file with a stage dev that deploys, and a stage prod after it with
// more keys.
func gated(keys string) string {
	const steps = "steps: [{uses: copy, config: {inPath: a, outPath: b}}]"
	return head + "stages:\n  - {name: dev, " + steps + "}\n  - name: prod\n    after: [dev]\n    " + steps + "\n    " + keys
}

func TestGateErrors(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"near miss", gated("gates: {soack: 1h}"), "8:13: unknown key `soack` in `gates` (did you mean `soak`?)"},
		{"soak as a number", gated("gates: {soak: 30}"), "8:19: `soak` must be a duration such as 30m, not the number 30; write 30s, 30m, 30h or 30d"},
		{"soak as a fraction", gated("gates: {soak: 1.5}"), "8:19: `soak` must be a duration such as 30m, not the number 1.5"},
		{"soak in words", gated("gates: {soak: 30 minutes}"), "8:19: `soak`: \"30 minutes\" is no duration; write 90s, 30m, 72h, 7d or 1h30m"},
		{"soak of another order", gated("gates: {soak: 30m1h}"), `"30m1h" is no duration`},
		{"soak of nothing", gated("gates: {soak: ''}"), `"" is no duration`},
		{"soak of weeks", gated("gates: {soak: 1w}"), `"1w" is no duration`},
		{"soak of no time", gated("gates: {soak: 0s}"), `"0s" is no time at all; leave the key out`},
		{"soak for ever", gated("gates: {soak: 365d1s}"), `"365d1s" is longer than 365d`},
		{"soak of a day too many", gated("gates: {soak: 366d}"), `"366d" is longer than 365d`},
		{"soak beyond all numbers", gated("gates: {soak: 999999999d999999999h}"), "is longer than 365d"},
		{"timeout", gated("timeout: soon"), "8:14: `timeout`: \"soon\" is no duration"},
		{"retry timeout", gated("vars: {}\n  - {name: x, steps: [{uses: git-push, retry: {timeout: 1 h}}]}"), "9:57: `timeout`: \"1 h\" is no duration"},
		{"no checks", gated("gates: {checks: []}"), "8:21: `checks` must not be empty"},
		{"empty check", gated("gates: {checks: ['']}"), "8:22: an item of `checks` must not be empty"},
		{"check twice", gated("gates: {checks: [e2e, E2E, e2e]}"), "8:32: `e2e` is on line 8 already"},
		{"check with expression", gated("gates: {checks: ['${{ vars.x }}']}"), "none are evaluated here"},
		{"check with space", gated("gates: {checks: ['e2e ']}"), "begins or ends with a space"},
		{"check left out", gated("gates: {checks: ['!e2e']}"), "name those that count"},
		{"checks without after", head + "stages: [{name: dev, gates: {checks: [e2e]}, steps: [{uses: git-push}]}]",
			"3:38: stage `dev` has no `after`: nothing was deployed before it that `checks` could be green on; name a stage there, or use `verify`"},
		{"checks after joins alone", head + "stages:\n  - {name: a}\n  - {name: b, deliver: none, steps: [{uses: git-commit}]}\n  - {name: c, after: [a, b], gates: {checks: [e2e]}}",
			"6:46: no stage that stage `c` comes after makes a commit"},
		{"nobody left to agree", gated("gates: {approvals: {count: 3, users: [octocat, hubot]}}"), "8:32: 3 must agree, but only 2 may"},
		{"count", gated("gates: {approvals: {count: 0}}"), "8:32: `count`: 0 is not a number from 1 to 100"},
		{"count as text", gated("gates: {approvals: {count: two}}"), "`count` must be an integer, not the text \"two\""},
		{"approvals as a number", gated("gates: {approvals: 2}"), "8:24: `approvals` must be an object, not the number 2"},
		{"team with organization", gated("gates: {approvals: {teams: ['@acme/sre']}}"), "8:33: an item of `teams`: \"@acme/sre\" names more than the team, which is one of this organization; write sre"},
		{"team with organization, without @", gated("gates: {approvals: {teams: [acme/sre]}}"), "write sre"},
		{"team by name", gated("allow: {teams: [Site Reliability]}"), "8:21: an item of `teams`: \"Site Reliability\" is no slug of a team, as its address has it; write site-reliability"},
		{"team of nothing", gated("allow: {teams: ['@/']}"), "write sre for @acme/sre"},
		{"team by expression", gated("allow: {teams: ['${{ vars.team }}']}"), "none are evaluated here"},
		{"team twice", gated("allow: {teams: [sre, sre]}"), "8:26: `sre` is on line 8 already"},
		{"no teams", gated("allow: {teams: []}"), "8:20: `teams` must not be empty"},
		{"login with @", gated("allow: {users: ['@octocat']}"), "8:21: an item of `users`: \"@octocat\" is no login; write octocat"},
		{"login with space", gated("allow: {users: [mona lisa]}"), "is no login of this GitHub"},
		{"team among users", gated("allow: {users: ['@acme/sre']}"), "a team is written under `teams`: sre"},
		{"user twice", gated("gates: {approvals: {users: [octocat, Octocat]}}"), "8:42: `Octocat` is on line 8 already"},
		{"nobody", gated("allow: {}"), "8:12: `allow` names nobody; name `teams` or `users`, or leave it out"},
		{"no windows", gated("gates: {windows: []}"), "8:22: `windows` must not be empty"},
		{"a window of nothing", gated("gates: {windows: [{timezone: UTC}]}"), "8:23: an item of `windows` needs one of `allow`, `deny`"},
		{"a window of both", gated("gates: {windows: [{allow: Mon, deny: Tue}]}"), "8:36: an item of `windows` takes only one of `allow`, `deny`"},
		{"window without form", gated("gates: {windows: [{allow: 9-17}]}"), "8:31: `allow`: \"9\" is no day"},
		{"window of a day", gated("gates: {windows: [{deny: 12-24}]}"), "8:30: `deny`: a single day is written 12-24..12-24"},
		{"time zone", gated("gates: {windows: [{allow: Mon, timezone: europe/berlin}]}"), "8:46: `timezone`: there is no time zone \"europe/berlin\" (did you mean Europe/Berlin?)"},
		{"method", gated("pullRequest: {method: squish}"), "8:27: `method` cannot be `squish` (did you mean `squash`?)"},
		{"verify without checks", gated("verify: {timeout: 1h}"), "8:13: `verify` needs the key `checks`"},
		{"verify nothing", gated("verify: {checks: []}"), "8:22: `checks` must not be empty"},
		{"onFailure", gated("verify: {checks: [e2e], onFailure: rolback}"), "8:40: `onFailure` cannot be `rolback` (did you mean `rollback`?)"},
		{"verify a join", head + "stages: [{name: dev, verify: {checks: [e2e]}}]", "3:30: stage `dev` has no steps: it makes no commit that could be verified"},
		{"verify what is not pushed", head + "stages: [{name: dev, deliver: none, steps: [{uses: git-commit}], verify: {checks: [e2e]}}]",
			"3:74: stage `dev` has `deliver: none` and no step `git-push`"},
		{"verify a tag", head + "stages: [{name: dev, deliver: none, steps: [{uses: git-tag, config: {tag: a}}, {uses: git-push, config: {tag: a}}], verify: {checks: [e2e]}}]",
			"3:125: stage `dev` has `deliver: none` and no step `git-push`"},
		{"paths from here", "version: 1\nsources: [{name: a, git: {paths: [./base]}}]\nstages: [{name: b}]", "2:35: an item of `paths`: \"./base\": paths begin at the root of the repository; write base"},
		{"paths above", "version: 1\nsources: [{name: a, git: {ignore: [../x]}}]\nstages: [{name: b}]", "there is nothing above"},
		{"path of all", "version: 1\nsources: [{name: a, git: {paths: [.]}}]\nstages: [{name: b}]", "for all of them leave the list out"},
		{"paths left out", "version: 1\nsources: [{name: a, git: {paths: ['!x']}}]\nstages: [{name: b}]", "write them under `ignore`"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pipeline, found := config.ParseWith(path, []byte(tt.in), checks)
			if pipeline != nil {
				t.Error("a pipeline in spite of errors")
			}
			if text := list(found); len(found) != 1 || !strings.Contains(text, tt.want) {
				t.Errorf("got\n%swant\n%s", text, tt.want)
			}
		})
	}
}

func TestGatesAccepted(t *testing.T) {
	tests := map[string]string{
		"no gate at all":               gated("gates: {}"),
		"soak without after":           head + "stages: [{name: dev, gates: {soak: 1s}}]",
		"one approval by anybody":      gated("gates: {approvals: {}}"),
		"more approvals than users":    gated("gates: {approvals: {count: 9, teams: [sre], users: [octocat]}}"),
		"all of the users":             gated("gates: {approvals: {count: 2, users: [octocat, hubot]}}"),
		"approvals before a join":      head + "stages: [{name: dev, gates: {approvals: {count: 2}}}]",
		"names of all forms":           gated("allow: {teams: [sre_1, 7-up], users: [o, mona-lisa, octocat_acme, 'renovate[bot]']}"),
		"checks of all forms":          gated("gates: {checks: ['build (ubuntu, 1.26)', '**/e2e', '*', 'CI / test [linux]', 'e2é']}"),
		"checks after a join":          head + "stages: [{name: a}, {name: b, steps: [{uses: git-push}]}, {name: c, after: [a, b], gates: {checks: [e2e]}}]",
		"verify what a step pushed":    head + "stages: [{name: a, deliver: none, steps: [{uses: git-push}], verify: {checks: [e2e]}}]",
		"merge by the app":             gated("pullRequest: {merge: auto, method: rebase}"),
		"supersede open, own delivery": head + "stages: [{name: a, deliver: none, supersede: open, steps: [{uses: git-push}]}]",
	}
	for name, in := range tests {
		pipeline, found := config.ParseWith(path, []byte(in), checks)
		if pipeline == nil || len(found) > 0 {
			t.Errorf("%s: %s", name, list(found))
		}
	}
}

// What says nothing is a warning: it keeps nothing from running.
func TestGateWarnings(t *testing.T) {
	tests := map[string]string{
		gated("supersede: open\n    deliver: commit"):                             "8:16: warning: `supersede: open` is about pull requests; with `deliver: commit` there are none",
		gated("pullRequest: {draft: true}\n    deliver: commit"):                  "8:18: warning: `pullRequest` says nothing here",
		gated("gates: {checks: [stagecoach/dev, stagecoach-e2e]}"):                "8:22: warning: `stagecoach/dev` is the name of a check of this app, and those never count",
		gated("verify: {checks: ['stagecoach', e2e, 'x/stagecoach', stagecoac]}"): "8:23: warning: `stagecoach` is the name of a check of this app",
	}
	for in, want := range tests {
		pipeline, found := config.Parse(path, []byte(in))
		if pipeline == nil || len(found) != 1 || !strings.Contains(list(found), want) {
			t.Errorf("got\n%swant\n%s", list(found), want)
		}
	}
}

func TestDurations(t *testing.T) {
	tests := map[string]time.Duration{
		"1s": time.Second, "90s": 90 * time.Second, "30m": 30 * time.Minute, "72h": 72 * time.Hour, "7d": 7 * 24 * time.Hour,
		"1h30m": 90 * time.Minute, "1d2h3m4s": 26*time.Hour + 3*time.Minute + 4*time.Second, "5m0s": 5 * time.Minute, "365d": 365 * 24 * time.Hour,
	}
	for text, want := range tests {
		pipeline, found := config.Parse(path, []byte(gated("timeout: "+text)))
		if pipeline == nil {
			t.Errorf("%s: %s", text, list(found))
		} else if got := pipeline.Stage("prod").Timeout; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

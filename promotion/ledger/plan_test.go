package ledger

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stagecoach-app/stagecoach/promotion"
)

const prodDiff = `diff --git a/envs/prod/values.yaml b/envs/prod/values.yaml
index 1c59427..d3b07a3 100644
--- a/envs/prod/values.yaml
+++ b/envs/prod/values.yaml
@@ -1,3 +1,3 @@
 image:
-  tag: 1.4.1 # set by Stagecoach
+  tag: 1.4.2 # set by Stagecoach
 replicas: 3
`

// planOf is a plan for prod that would change one file.
func planOf(change func(*promotion.Task, *promotion.Planned)) (promotion.Task, promotion.Planned) {
	t := promotion.Task{Repo: base().Repo, Effect: promotion.Effect{
		ID: "plan/77/1", Kind: promotion.KindPlan, Number: 5, SentAt: day, Preview: &promotion.Preview{Line: 1, By: "octocat", Stage: "prod"},
	}}
	p := promotion.Planned{
		Pipeline: "default", Stage: "prod", Freight: webFreight(2), Branch: "main", Tip: sha("tip"), Diff: prodDiff,
		Steps: []promotion.PlannedStep{{Uses: "yaml-update", Status: "succeeded"}, {Uses: "git-commit", Status: "not-run"}, {Uses: "git-push", Status: "not-run"}},
		Files: []promotion.Change{{Path: "envs/prod/values.yaml", Status: "modified"}},
		Gates: []promotion.Gate{{Name: promotion.GateAfter, Status: promotion.GateOpen, Text: "Verified in staging"}},
	}
	if change != nil {
		change(&t, &p)
	}
	return t, p
}

var planned = []struct {
	name   string
	change func(*promotion.Task, *promotion.Planned)
}{
	{"open", nil},
	{"held", func(_ *promotion.Task, p *promotion.Planned) {
		p.Gates = append(p.Gates, promotion.Gate{Name: promotion.GateSoak, Status: promotion.GatePending, Text: "Soaking until 10:12 UTC", Until: day.Add(time.Hour)}, frozenGate)
		p.Running, p.Ahead = "prod.01jd.4f9c2e1", 2
	}},
	{"nothing", func(_ *promotion.Task, p *promotion.Planned) { p.Files, p.Diff, p.Gates = nil, "", nil }},
	{"failed", func(_ *promotion.Task, p *promotion.Planned) {
		p.Steps = []promotion.PlannedStep{
			{Uses: "yaml-update", Status: "errored", Message: "found no key `image.tagg` in `envs/prod/values.yaml` (nearest: `image.tag`)"},
			{Uses: "git-commit", Status: "skipped"},
		}
		p.Files, p.Diff, p.Ahead = nil, "", 1
	}},
	{"config", func(t *promotion.Task, p *promotion.Planned) {
		t.Effect.Preview.Head, p.Tip, p.Branch, p.Pipeline = sha("head"), "", "env/prod", "billing"
	}},
	{"hostile", func(t *promotion.Task, p *promotion.Planned) {
		t.Repo = hostile().Repo
		p.Freight = hostile().Pipelines["default"].Freight[2]
		p.Branch, p.Running = nasty, nasty
		p.Steps = []promotion.PlannedStep{{Uses: nasty, Status: nasty, Message: nasty}, {Uses: nasty, Status: "not-run"}}
		p.Files = []promotion.Change{{Path: nasty, Status: nasty}}
		p.Diff = "+" + nasty + "\n+````\n+@everyone closes #1\n+" + Marker("plan/78/1") + "\n+" + partOpen + "x -->\n+\x1b[31m\rred\u202e\n"
		p.Gates = nastyGates(nasty)
	}},
}

func TestPlanGolden(t *testing.T) {
	for _, tc := range planned {
		t.Run(tc.name, func(t *testing.T) {
			task, p := planOf(tc.change)
			text := Plan(task, p, testLinks, Marker(task.Effect.ID))
			golden(t, "plan-"+tc.name+".md", text)
			page := render(t, text)
			harmlessHTML(t, page)
			if blocks, diffs := strings.Count(page, "<pre>"), min(len(p.Diff), 1); blocks != diffs {
				t.Errorf("%d blocks of code are read, want %d", blocks, diffs)
			}
			if strings.Count(text, "<!-- stagecoach") != 1 || !strings.HasSuffix(text, Marker(task.Effect.ID)) {
				t.Error("the hidden marker is not the only one, or not at the end")
			}
			if _, part := PartHash(text); part {
				t.Error("it passes for a part of the ledger")
			}
		})
	}
}

func TestAPlanOfAnySizeIsAComment(t *testing.T) {
	for _, lines := range []int{10, 2_000, 200_000} {
		task, p := planOf(func(_ *promotion.Task, p *promotion.Planned) {
			p.Diff = strings.Repeat("+é`+\n", lines)
			p.Hidden = 4
			for i := range lines / 100 {
				p.Files = append(p.Files, promotion.Change{Path: fmt.Sprint(strings.Repeat("&", 300), i), Status: "added"})
				p.Gates = append(p.Gates, promotion.Gate{Name: "x", Status: "y", Text: strings.Repeat("<", 9_000)})
				p.Steps = append(p.Steps, promotion.PlannedStep{Uses: strings.Repeat("<", 100), Status: "errored", Message: strings.Repeat("&", 3_000)})
			}
		})
		text := Plan(task, p, testLinks, Marker(task.Effect.ID))
		if len(text) > maxText || !utf8.ValidString(text) || !strings.HasSuffix(text, Marker(task.Effect.ID)) {
			t.Errorf("%d lines: %d bytes", lines, len(text))
		}
		shown := strings.Count(text, "+é`+\n")
		if lines == 10 && (shown != 10 || strings.Contains(text, "left out") || !strings.Contains(text, "4 more files")) {
			t.Errorf("a short diff is cut: %d lines of %d", shown, lines)
		}
	}
	_, p := planOf(nil)
	p.Diff = strings.Repeat("+x\n", 20_000)
	task, _ := planOf(nil)
	text := Plan(task, p, testLinks, "")
	if shown := strings.Count(text, "+x\n"); !strings.Contains(text, fmt.Sprintf("its last %d lines are left out", 20_000-shown)) || shown < 10_000 {
		t.Errorf("%d lines are shown", shown)
	}
}

func TestConfigCheckShowsThePipelines(t *testing.T) {
	billing := webPipeline("billing")
	billing.Stages[0].PullRequest.Merge = promotion.MergeAuto
	billing.Stages[0].Gates = promotion.Gates{Soak: time.Hour, Checks: []string{"e2e"}, Approvals: &promotion.Approvals{}}
	billing.Stages = append(billing.Stages, promotion.Stage{Name: "all-done", After: []string{"prod"}})
	_, text := ConfigCheck(nil, map[string]*promotion.Pipeline{"default": webPipeline("default"), "billing": billing})
	golden(t, "config-valid.md", text)
	_, broken := ConfigCheck([]promotion.Problem{{Text: "unknown key `stagse`", File: ".github/stagecoach.yml", Line: 4, Column: 1}},
		map[string]*promotion.Pipeline{"billing": billing})
	golden(t, "config-broken.md", broken)
	many := map[string]*promotion.Pipeline{}
	for i := range 300 {
		p := webPipeline(fmt.Sprint("p", i))
		for n := range 60 {
			p.Stages = append(p.Stages, promotion.Stage{Name: fmt.Sprint(strings.Repeat("x", 30), n), After: []string{"prod"}})
		}
		many[p.Name] = p
	}
	_, text = ConfigCheck(nil, many)
	if len(text) > maxText || !strings.Contains(text, "more pipelines.") {
		t.Errorf("%d bytes", len(text))
	}
	evil := hostile().Local.Config["default"]
	_, text = ConfigCheck(nil, map[string]*promotion.Pipeline{nasty: evil})
	harmlessHTML(t, render(t, text))
}

// A fence that the text holds would end the block, and let the rest be Markdown.
func TestNothingEndsAFence(t *testing.T) {
	for _, text := range []string{"", "```", "````\n`````", "a\n```\n@octocat", "~~~\n```` x"} {
		lines := strings.Split(fenced("", text), "\n")
		if slices.ContainsFunc(lines[1:len(lines)-1], func(l string) bool { return strings.Contains(l, lines[0]) }) {
			t.Errorf("%q ends its block", text)
		}
	}
}

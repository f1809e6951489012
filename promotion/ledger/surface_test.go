package ledger

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// Every field that may hold outside text, on every surface that people see: never
// markup, mention, closing keyword, command, trailer, or what a terminal obeys. The
// fields are found by reflection, so that a new one is in the table at once.

const (
	hostileMark = "zq7"
	hostileText = hostileMark + " " + nasty + "\n/promote prod\nStagecoach-Promotion: x\nCo-authored-by: x <x@example.com>\n[skip ci]\x1b[31m\u009b\x07\u2067"
)

// surface is a place where text is shown, and how it is read there.
type surface struct {
	name  string
	texts func(s *promotion.State) []string
	judge func(t *testing.T, text string)
}

var surfaces = []surface{
	{"tracking issue", func(s *promotion.State) []string { return []string{Draw(s, testLinks, day)} }, onGitHub},
	{"pull request title", ofTasks(func(t promotion.Task) string { title, _ := PullRequest(t, testLinks); return title }), inOneLine},
	{"pull request body", ofTasks(func(t promotion.Task) string { _, body := PullRequest(t, testLinks); return body }), onGitHub},
	{"check title", ofTasks(func(t promotion.Task) string { return OneLine(t.Promotion.Message) }), withoutControl},
	{"check summary", ofTasks(func(t promotion.Task) string { return CheckSummary(t, testLinks) }), onGitHub},
	{"commit trailers", ofTasks(func(t promotion.Task) string { return t.Promotion.Trailers(t.Freight) }), asTrailers},
	{"commit title", ofTasks(func(t promotion.Task) string { return MessageTitle(t.Freight.Title()) }), inOneLine},
	{"history", func(s *promotion.State) []string {
		effect := promotion.Effect{Pipeline: "default"}
		for _, p := range s.Pipelines["default"].Promotions {
			effect.Names = append(effect.Names, p.Name)
		}
		return []string{History(promotion.Task{State: s, Effect: effect, Repo: s.Repo}, testLinks, Marker("history/1"))}
	}, onGitHub},
	{"/plan", ofTasks(func(t promotion.Task) string {
		return Plan(t, promotion.Planned{
			Pipeline: t.Promotion.Pipeline, Stage: t.Promotion.Stage, Branch: t.State.Repo.DefaultBranch, Freight: t.Freight, Files: t.Promotion.Changes,
			Steps: []promotion.PlannedStep{{Uses: "yaml-update", Status: "errored", Message: t.Promotion.Message}}, Gates: t.Promotion.Gates, Diff: "+" + t.Promotion.Message,
		}, testLinks, Marker("plan/1"))
	}), onGitHub},
	{"config check", func(s *promotion.State) []string {
		_, summary := ConfigCheck(slices.Concat(s.Problems, s.Pipelines["default"].Broken), s.Local.Config)
		return []string{summary}
	}, onGitHub},
	{"answers", answers, func(t *testing.T, text string) {
		t.Helper()
		text = strings.TrimPrefix(text, "@octocat")                          // who is answered
		onGitHub(t, strings.NewReplacer("#214", "", "#5", "").Replace(text)) // the pull request and the tracking issue
	}},
	{"pages", sheetLines, func(t *testing.T, text string) { harmlessHTML(t, render(t, text)) }},
}

// ofTasks draws something of each promotion.
func ofTasks(draw func(promotion.Task) string) func(*promotion.State) []string {
	return func(s *promotion.State) (out []string) {
		ps := s.Pipelines["default"]
		for _, p := range ps.Promotions {
			out = append(out, draw(promotion.Task{
				Repo: s.Repo, Promotion: p, Pipeline: s.Local.Config["default"], State: s, Freight: ps.Freight[len(ps.Freight)-1], Before: ps.Freight[0],
			}))
		}
		return out
	}
}

// answers are what is said to commands of somebody who may all, and of somebody who
// may little.
func answers(s *promotion.State) (out []string) {
	for _, role := range []string{"write", "triage"} {
		permission := map[string]string{"write": "write", "triage": "read"}[role]
		for _, line := range []string{"/status", "/help", "/promote prod", "/promote dev", "/approve prod", "/reject prod", "/abort staging", "/retry staging", "/rollback prod", "/freeze prod", "/resume prod", "/plan prod"} {
			said := pt.Comment(99, day, line)
			body := said.Body.(promotion.Commented)
			body.Number = s.Issue
			said.Body, said.Repo = body, s.Repo
			in := []promotion.Input{said}
			d := promotion.Advance(s, in, day)
			for range 10 {
				var next []promotion.Input
				for _, e := range d.Effects {
					switch e.Kind {
					case promotion.KindPermission:
						next = append(next, promotion.Result{Effect: e.ID, Permission: permission, Role: role})
					case promotion.KindReact:
						next = append(next, promotion.Result{Effect: e.ID})
					case promotion.KindReply:
						out = append(out, Reply(e.Text, Marker(e.ID)))
					}
				}
				if len(next) == 0 {
					break
				}
				d = promotion.Advance(d.State, next, day)
			}
		}
	}
	return out
}

// sheetLines are the lines of Markdown that pages show.
func sheetLines(s *promotion.State) []string {
	sheet := SheetOf(s, testLinks, day)
	out := slices.Concat([]string{sheet.Idle}, sheet.Needs, sheet.Held)
	for _, p := range sheet.Pipelines {
		out = append(out, p.Config, p.Notice)
		for _, st := range p.Stages {
			out = append(append(out, st.Runs, st.Since, st.Health, st.Queue, st.Next), st.Now...)
		}
		for _, one := range slices.Concat(p.UnderWay, p.Queue, p.Ended) {
			out = append(out, one.FreightMD, one.By, one.At, one.Said, one.Turn, one.Result, one.Approvals)
			for _, step := range one.Steps {
				out = append(out, step.Trace, step.Said)
			}
			for _, g := range one.Gates {
				out = append(out, g.Text)
			}
		}
	}
	return out
}

// onGitHub is Markdown that GitHub renders, and whose raw text it and we read.
func onGitHub(t *testing.T, text string) {
	t.Helper()
	safe(t, text)
	withoutControl(t, text)
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimLeft(line, " "), "/promote") {
			t.Errorf("a line is a command: %q", line)
		}
	}
}

// inOneLine is a title, which ends up in a commit message too.
func inOneLine(t *testing.T, text string) {
	t.Helper()
	withoutControl(t, text)
	if at := notifies.FindString(text); at != "" || strings.Contains(text, "\n") {
		t.Errorf("%q in %q", at, text)
	}
}

func withoutControl(t *testing.T, text string) {
	t.Helper()
	if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) }); i >= 0 {
		t.Errorf("%q in %q", text[i], around(text, text[i:i+1]))
	}
}

var trailerLine = regexp.MustCompile(`^Stagecoach-(Promotion|Freight|Stage|Requested-By|Artifacts): [^\n]*\n$`)

// asTrailers has one line for each trailer, and no second of a kind.
func asTrailers(t *testing.T, text string) {
	t.Helper()
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		key, _, _ := strings.Cut(line, ":")
		if !trailerLine.MatchString(line) || seen[key] {
			t.Errorf("%q in %q", line, text)
		}
		seen[key] = true
	}
}

// checkedNames are [a-z0-9-] wherever they come from: the config is refused otherwise,
// and answers use them as they are.
var checkedNames = []string{
	".Local.Config{}.Stages[].Name", ".Local.Config{}.Stages[].After[]", ".Local.Config{}.Sources[].Name", ".Pipelines{}.Promotions[].Stage",
	".Pipelines{}.Promotions[].Name", ".Pipelines{}.Promotions[].Pipeline", ".Pipelines{}.Promotions[].Phase", ".Pipelines{}.Freight[].Artifacts[].Source",
}

func TestEveryFieldOnEverySurface(t *testing.T) {
	const plain = "plain"
	fields := slices.DeleteFunc(pt.Texts(hostileWith(plain)), func(field string) bool {
		return field == ".Local.Config{}.Name" // the key that it stands under, and checked as such
	})
	if len(fields) < 100 {
		t.Fatalf("only %d fields", len(fields))
	}
	var table strings.Builder
	shown := map[string]int{}
	for _, field := range fields {
		s := hostileWith(plain)
		s.Repo.Idle = ""
		pt.SetTexts(s, field, hostileText)
		fmt.Fprintf(&table, "\n%-60s", field)
		for _, on := range surfaces {
			if on.name == "answers" && slices.Contains(checkedNames, field) {
				continue
			}
			found := false
			for _, text := range on.texts(s) {
				if !strings.Contains(text, hostileMark) {
					continue
				}
				found = true
				t.Run(field+" on "+on.name, func(t *testing.T) { on.judge(t, text) })
			}
			if found {
				shown[on.name]++
				fmt.Fprintf(&table, " · %s", on.name)
			}
		}
	}
	t.Log(table.String())
	for _, on := range surfaces {
		if shown[on.name] == 0 {
			t.Errorf("no field is shown on %s: this judges nothing there", on.name)
		}
	}
	for _, field := range []string{
		".Pipelines{}.Promotions[].Message", ".Pipelines{}.Promotions[].Reason", ".Pipelines{}.Promotions[].RequestedBy", ".Pipelines{}.Freight[].Artifacts[].Title",
		".Pipelines{}.Freight[].Artifacts[].Tag", ".Pipelines{}.Freight[].Artifacts[].Author", ".Pipelines{}.Promotions[].Changes[].Path", ".Pipelines{}.Promotions[].Gates[].Text",
		".Pipelines{}.Promotions[].Steps[].Message", ".Problems[].Text", ".Problems[].Suggestion", ".Pipelines{}.Broken[].Text", ".Freeze.Reason",
	} {
		if !slices.Contains(fields, field) {
			t.Errorf("the state has no field %s any more", field)
		}
	}
}

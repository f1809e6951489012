package ledger

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// tasks are the promotions whose texts are kept under testdata.
var tasks = []struct {
	name string
	task func() promotion.Task
}{
	{"waiting", func() promotion.Task {
		p := waitsFor(attempt("default", "prod", webFreight(2), day, promotion.PhaseWaiting), 214)
		p.Reason = "fix for checkout"
		return taskOf(p)
	}},
	{"errored", func() promotion.Task {
		p := done(attempt("default", "staging", webFreight(2), day, promotion.PhaseErrored), promotion.StepErrored, promotion.StepSkipped)
		p.Steps[0].Message = "found no key `image.tagg` in `envs/staging/values.yaml` (nearest: `image.tag`)"
		p.Message, p.Automatic = "Errored at step 1 of 5 (yaml-update): "+p.Steps[0].Message, true
		return taskOf(p)
	}},
	{"landed", func() promotion.Task {
		return taskOf(landedOn(attempt("default", "staging", webFreight(2), day, promotion.PhaseSucceeded), 209))
	}},
	{"failed", func() promotion.Task {
		p := attempt("default", "prod", webFreight(2), day, promotion.PhaseFailed)
		p.Message = "Pull request #214 was closed by monalisa"
		return taskOf(p)
	}},
	{"bare", func() promotion.Task {
		return promotion.Task{Repo: base().Repo, Promotion: attempt("billing", "prod", webFreight(2), day, promotion.PhaseRunning)}
	}},
	{"approvals", func() promotion.Task {
		task := guardedTask(approvedOnce(gated(oneOfTwo)))
		task.Effect.Check = &promotion.Check{Actions: []string{"approve", "abort"}}
		return task
	}},
	{"merging", func() promotion.Task { return guardedTask(merging(true)) }},
	{"windows", func() promotion.Task { return guardedTask(gated(windowShut)) }},
	{"frozen", func() promotion.Task {
		p := gated()
		p.Gates, p.Message = append([]promotion.Gate{frozenGate}, p.Gates...), frozenGate.Text
		return guardedTask(p)
	}},
	{"blocked", func() promotion.Task {
		p := gated()
		block := promotion.Gate{Name: promotion.GateBlock, Status: promotion.GateClosed, Person: true, Text: "Blocked by octocat: breaks checkout"}
		p.Gates, p.Message = append([]promotion.Gate{block}, p.Gates...), block.Text
		return guardedTask(p)
	}},
	{"verifying", func() promotion.Task {
		s := verifyingStaging()
		ps := s.Pipelines["default"].Promotions
		return taskIn(s, ps[len(ps)-1])
	}},
	{"unverified", func() promotion.Task {
		p := landedOn(attempt("default", "staging", webFreight(2), day, promotion.PhaseFailed), 209)
		p.Message = "Verification said no: argocd/web-staging"
		return guardedTask(p)
	}},
	{"past", func() promotion.Task {
		s := landedPast()
		ps := s.Pipelines["default"].Promotions
		return taskIn(s, ps[len(ps)-2])
	}},
	{"rejected", func() promotion.Task {
		p := gated(oneOfTwo)
		p.Phase, p.Message, p.PullRequest.State = promotion.PhaseRejected, "Rejected by monalisa: not before the fair", "closed"
		return guardedTask(p)
	}},
	{"several", func() promotion.Task { return several(1, 13) }},
	{"back", func() promotion.Task { return several(4, 2) }},
	{"hostile", func() promotion.Task {
		s := hostile()
		ps := s.Pipelines["default"]
		p := ps.Promotions[len(ps.Promotions)-4]
		return promotion.Task{Repo: s.Repo, Promotion: p, Pipeline: s.Local.Config["default"], State: s, Freight: ps.Freight[2], Before: ps.Freight[0]}
	}},
	{"images", imaged},
}

// imaged is a promotion from one image to the one after the next, which say what they
// were built from; the sources of the chart beside it are elsewhere, so they are not linked.
func imaged() promotion.Task {
	s := base()
	var all []*promotion.Freight
	for n := 1; n <= 3; n++ {
		at := day.Add(time.Duration(n) * time.Minute)
		web := promotion.Artifact{
			Source: "web", Kind: promotion.ArtifactImage, Repo: "ghcr.io/acme/web", Tag: fmt.Sprintf("1.4.%d", n), Digest: "sha256:" + sha(fmt.Sprint("image", n)), At: at,
			From: "https://github.com/acme/web.git", Revision: sha(fmt.Sprint("built", n)), Title: fmt.Sprintf("version 1.4.%d from https://github.com/acme/web at %s", n, sha(fmt.Sprint("built", n))[:12]),
		}
		chart := promotion.Artifact{
			Source: "chart", Kind: promotion.ArtifactChart, Repo: "oci://ghcr.io/acme/charts/web", Tag: fmt.Sprintf("2.0.%d", n/2), Digest: "sha256:" + sha(fmt.Sprint("chart", n/2)),
			From: "https://git.example.com/acme/web", Revision: sha("elsewhere"), Title: "version 2.0",
		}
		all = append(all, promotion.NewFreight([]promotion.Artifact{web, chart}, int64(n), at))
	}
	s.Pipelines["default"].Freight = all
	p := waitsFor(attempt("default", "prod", all[2], day, promotion.PhaseWaiting), 214)
	return promotion.Task{Repo: s.Repo, Promotion: p, Pipeline: s.Local.Config["default"], State: s, Freight: all[2], Before: all[0]}
}

// several is a promotion that brings a stage from one freight to another of many,
// each of which a pull request brought; three files change by it.
func several(from, to int) promotion.Task {
	s := base()
	var all []*promotion.Freight
	for n := 1; n <= 14; n++ {
		f := webFreight(n)
		f.Artifacts[0].PullRequest = 80 + n
		all = append(all, f)
	}
	all[5].Artifacts[0].Repo, all[5].Artifacts[0].PullRequest = "acme/moved", 3 // of another repository: no part of this
	s.Pipelines["default"].Freight = all
	p := waitsFor(attempt("default", "prod", all[to-1], day, promotion.PhaseWaiting), 214)
	p.Changes = append(p.Changes, promotion.Change{Path: "envs/prod/new.yaml", Status: "added"}, promotion.Change{Path: "envs/prod/x.yaml", Status: "modified"})
	return promotion.Task{Repo: s.Repo, Promotion: p, Pipeline: s.Local.Config["default"], State: s, Freight: all[to-1], Before: all[from-1]}
}

func taskOf(p *promotion.Promotion) promotion.Task { return taskIn(base(), p) }

func guardedTask(p *promotion.Promotion) promotion.Task { return taskIn(guarded(), p) }

func taskIn(s *promotion.State, p *promotion.Promotion) promotion.Task {
	return promotion.Task{Repo: s.Repo, Promotion: p, Pipeline: s.Local.Config["default"], State: s, Freight: webFreight(2), Before: webFreight(1)}
}

func TestTextsGolden(t *testing.T) {
	for _, tc := range tasks {
		t.Run(tc.name, func(t *testing.T) {
			task := tc.task()
			title, body := PullRequest(task, testLinks)
			summary := CheckSummary(task, testLinks)
			golden(t, "pull-request-"+tc.name+".md", title+"\n\n"+body)
			golden(t, "check-"+tc.name+".md", summary)
			for _, text := range []string{body, summary} {
				page := render(t, text)
				harmlessHTML(t, page)
				if tables, rules := strings.Count(page, "<table>"), strings.Count(text, "| --- |\n"); tables != rules {
					t.Errorf("%d tables are read of %d written", tables, rules)
				}
			}
			if bad := notifies.FindString(title); bad != "" || strings.ContainsAny(title, "\n\r") || utf8.RuneCountInString(title) > 256 {
				t.Errorf("title %q", title)
			}
			if !strings.HasSuffix(body, "\n"+Marker(task.Promotion.Name)+"\n") {
				t.Errorf("the body does not end with the promotion's marker: %q", body[max(0, len(body)-80):])
			}
		})
	}
}

// Promotions with more than anybody reads still have texts that GitHub takes.
func TestTextsStaySmall(t *testing.T) {
	task := tasks[len(tasks)-1].task()
	p := task.Promotion
	p.Reason = strings.Repeat("<", 9000)
	for i := range 200 {
		p.Changes = append(p.Changes, promotion.Change{Path: fmt.Sprint(strings.Repeat("&", 900), i), Status: "added", After: strings.Repeat("|", 900)})
		p.Steps = append(p.Steps, promotion.StepState{Phase: promotion.StepErrored, Message: strings.Repeat("&", 4000)})
		task.Freight.Artifacts = append(task.Freight.Artifacts, promotion.Artifact{Source: strings.Repeat("<", 900), Tag: strings.Repeat(">", 900), Title: strings.Repeat("&", 900)})
	}
	title, body := PullRequest(task, testLinks)
	summary := CheckSummary(task, testLinks)
	if n := utf8.RuneCountInString(title); n > 256 {
		t.Errorf("the title has %d characters", n)
	}
	if len(body) > 65_000 || !strings.Contains(body, Marker(p.Name)) || !strings.Contains(body, "Merging this promotes.") {
		t.Errorf("the body has %d bytes and lacks what it must say", len(body))
	}
	if len(summary) > maxText || !strings.Contains(summary, "more steps") {
		t.Errorf("the summary has %d bytes", len(summary))
	}
}

func TestTitleNamesThePipeline(t *testing.T) {
	p := attempt("billing", "prod", webFreight(2), day, promotion.PhaseRunning)
	if title, _ := PullRequest(promotion.Task{Promotion: p, Freight: webFreight(2)}, testLinks); title != "Promote web 140bf12 to billing/prod" {
		t.Errorf("title %q", title)
	}
}

func TestConfigCheck(t *testing.T) {
	title, summary := ConfigCheck(nil, nil)
	if title != "The pipeline files are valid" || !strings.Contains(summary, "can be read") {
		t.Errorf("%s: %s", title, summary)
	}
	for n, want := range map[int]string{1: "1 problem in the pipeline files", 70: "70 problems in the pipeline files"} {
		problems := make([]promotion.Problem, n)
		for i := range problems {
			problems[i] = promotion.Problem{Text: "unknown key `stagse`", File: ".github/stagecoach.yml", Line: 4, Column: 1, Suggestion: "stages"}
		}
		title, summary := ConfigCheck(problems, nil)
		if title != want {
			t.Errorf("title %q, want %q", title, want)
		}
		if !strings.Contains(summary, "- ❌ wrong: unknown key `stagse` (`.github/stagecoach.yml:4:1`). Did you mean `stages`?\n") {
			t.Errorf("summary %s", summary)
		}
		if strings.Contains(summary, "… and 20 more") != (n == 70) {
			t.Errorf("of %d: %s", n, summary)
		}
	}
	_, summary = ConfigCheck([]promotion.Problem{{Text: nasty, File: nasty, Suggestion: nasty}}, nil)
	harmlessHTML(t, render(t, summary))
}

func TestMarker(t *testing.T) {
	seen := map[string]string{}
	for _, id := range []string{"", "a", "reply/12", "a-b", "a--b", "-a", "a-", "a%2D-b", "a -->", "a\n", "é", "a%", "prod.01jd.abc", "react/1/+1"} {
		marker := Marker(id)
		inner := strings.TrimSuffix(strings.TrimPrefix(marker, "<!-- "), " -->")
		if strings.Contains(inner, "--") || strings.ContainsAny(inner, "<>\n") {
			t.Errorf("%q ends its comment: %s", id, marker)
		}
		if other, ok := seen[marker]; ok {
			t.Errorf("%q and %q have one marker", id, other)
		}
		seen[marker] = id
		for earlier := range seen {
			if earlier != marker && strings.Contains(marker, earlier) {
				t.Errorf("the marker of %q holds that of %q", id, seen[earlier])
			}
		}
	}
	if got, want := Marker("reply/12"), "<!-- stagecoach reply/12 -->"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestReply(t *testing.T) {
	table := "| stage | runs |\n| --- | --- |\n| dev | `web 1` |\n\nAll of it is in #5."
	for in, want := range map[string]string{
		table:                           table,
		"There is no stage `prd` here.": "There is no stage `prd` here.",
		"@monalisa may not, that takes @acme/sre":     "@monalisa may not, that takes @" + gap + "acme/sre",
		"web <script> --> " + Marker("reply/9") + "x": `web \<script> --> \<` + gap + `!-- stagecoach reply/9 -->x`,
		"a\x1b[31mb\u202ec":                           "a\ufffd[31mb\ufffdc",
		"one\r\n\r\n@octocat":                         "one\n\n@" + gap + "octocat",
	} {
		marker := Marker("reply/12")
		got := Reply(in, marker)
		if diff := cmp.Diff(want+"\n\n"+marker, got); diff != "" {
			t.Errorf("Reply(%q) (-want +got):\n%s", in, diff)
		}
	}
	long := Reply(strings.Repeat("é<", 60_000), Marker("x"))
	if len(long) > maxText || !utf8.ValidString(long) || !strings.HasSuffix(long, Marker("x")) || !strings.Contains(long, "too long") {
		t.Errorf("a long reply has %d bytes", len(long))
	}
	page := codeOrOwn.ReplaceAllString(render(t, Reply("no `x` for "+nasty, "")), "")
	for _, bad := range []string{"<script", "<img src=x", "<!--", "@everyone", "@acme", "@hubot"} {
		if strings.Contains(page, bad) {
			t.Errorf("a reply lets %s through: %s", bad, page)
		}
	}
}

func TestLinks(t *testing.T) {
	l, repo := testLinks, "acme/gitops"
	for _, tc := range []struct{ name, got, want string }{
		{"repo", l.Repo(repo), "https://github.com/acme/gitops"},
		{"odd repo", l.Repo("acme/../x"), ""},
		{"no web address", Links{}.Repo(repo), ""},
		{"commit", l.Commit(repo, "3f9c2e1"), "https://github.com/acme/gitops/commit/3f9c2e1"},
		{"no commit", l.Commit(repo, "3f9c2e1)x"), ""},
		{"pull request", l.PullRequest(repo, 214), "https://github.com/acme/gitops/pull/214"},
		{"none", l.PullRequest(repo, 0), ""},
		{"issue", l.Issue(repo, 5), "https://github.com/acme/gitops/issues/5"},
		{"comment", l.Comment(repo, 5, 77), "https://github.com/acme/gitops/issues/5#issuecomment-77"},
		{"check", l.Check(repo, 8), "https://github.com/acme/gitops/runs/8"},
		{"branch", l.Branch(repo, "stagecoach/default/prod/a b"), "https://github.com/acme/gitops/tree/stagecoach/default/prod/a%20b"},
		{"file", l.File(repo, "HEAD", "a/b (c).yml", 7), "https://github.com/acme/gitops/blob/HEAD/a/b%20%28c%29.yml#L7"},
		{"a path too long", l.File(repo, "HEAD", strings.Repeat("a", 400), 7), ""},
		{"compare", l.Compare(repo, "3f9c2e1", "4f9c2e1"), "https://github.com/acme/gitops/compare/3f9c2e1...4f9c2e1"},
		{"user", l.User("octo-cat"), "https://github.com/octo-cat"},
		{"bot", l.User("hubot[bot]"), ""},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, tc.got, tc.want)
		}
	}
}

func TestAStepNamesItsPullRequestOnce(t *testing.T) {
	p := waitsFor(attempt("default", "prod", webFreight(2), day, promotion.PhaseWaiting), 214)
	for message, want := range map[string]string{
		"opened #214":            "| git-open-pr | ✅ succeeded | [#214](https://github.com/acme/gitops/pull/214) |",
		"opened #214 as a draft": "[#214](https://github.com/acme/gitops/pull/214) opened #" + gap + "214 as a draft |",
	} {
		p.Steps[3].Message = message
		if summary := CheckSummary(taskOf(p), testLinks); !strings.Contains(summary, want) {
			t.Errorf("%q gives no %s:\n%s", message, want, summary)
		}
	}
}

// Only what an image says of a repository on this GitHub is linked, and what lies
// between two images only where both are of one repository.
func TestWhatAnImageSaysIsLinkedWithCare(t *testing.T) {
	w := &writer{links: testLinks}
	for from, want := range map[string]string{
		"https://github.com/acme/web": "acme/web", "https://github.com/acme/web.git": "acme/web", "https://github.com/acme/web/": "acme/web",
		"acme/web": "", "https://github.com.example.com/acme/web": "", "https://github.com/acme": "", "https://github.com/acme/web/tree/main": "",
		"git@github.com:acme/web.git": "", "http://github.com/acme/web": "", "": "", "https://github.com/acme/web](https://example.com": "",
	} {
		if got, _ := w.origin(promotion.Artifact{Tag: "1.0.0", From: from, Revision: sha("a")}); got != want {
			t.Errorf("%q: %q, want %q", from, got, want)
		}
	}
	if _, got := w.origin(promotion.Artifact{From: "https://github.com/acme/web", Revision: "main"}); got != "" {
		t.Errorf("a branch is linked as a commit: %q", got)
	}
	one := promotion.Artifact{From: "https://github.com/acme/web", Revision: sha("a")}
	two := promotion.Artifact{From: "https://github.com/acme/Web", Revision: sha("b")}
	other := promotion.Artifact{From: "https://github.com/acme/api", Revision: sha("b")}
	if w.compare(one, two) == "" || w.compare(one, other) != "" || w.compare(one, one) != "" {
		t.Errorf("compared: %q, %q, %q", w.compare(one, two), w.compare(one, other), w.compare(one, one))
	}
}

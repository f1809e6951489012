package servertest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// Ask is the comment with which octocat asks for prod, and for the state.
const Ask = "Ship it.\n/promote prod\n/status\n"

// Story plays the people of the whole story, of a world made of Files with the
// app installed: the change is in dev by itself, octocat merges the pull request
// for staging, asks for prod, and merges that pull request too. It returns when
// everything is done and answered.
func (w *World) Story() {
	w.TB.Helper()
	w.StoryToStaging()
	w.StoryToProd()
}

// StoryToStaging is the story until staging has landed and is recorded.
func (w *World) StoryToStaging() {
	w.TB.Helper()
	w.Until("staging's pull request is open", func() bool { return len(w.Open()) == 1 })
	w.Until("staging's check says that it waits", func() bool { return w.waits("staging") })
	w.Until("there is a tracking issue", func() bool { _, ok := w.TrackingIssue(); return ok })
	if w.Meanwhile != nil {
		w.Meanwhile()
	}
	if open := w.Open(); len(open) == 1 {
		if _, err := w.Sim.As("octocat").Merge(w.Repo, open[0].Number, "squash"); err != nil {
			w.TB.Fatal(err)
		}
	}
	w.Until("staging landed", func() bool { return w.landed("staging") })
	w.Until("staging is recorded", func() bool { return w.Recorded("staging") })
}

// StoryToProd is the rest of it.
func (w *World) StoryToProd() {
	w.TB.Helper()
	octocat := w.Sim.As("octocat")
	issue, _ := w.TrackingIssue()
	comment, err := octocat.Comment(w.Repo, issue.Number, Ask)
	if err != nil {
		w.TB.Fatal(err)
	}
	w.Until("prod's pull request is open", func() bool { return len(w.Open()) == 1 })
	w.Until("prod's check says that it waits", func() bool { return w.waits("prod") })
	w.Until("the comment is answered", func() bool {
		return strings.Join(w.Reactions(issue.Number, comment), " ") == "+1 eyes rocket" && len(w.Answers(issue.Number)) > 0
	})
	if _, err := octocat.Merge(w.Repo, w.Open()[0].Number, "merge"); err != nil {
		w.TB.Fatal(err)
	}
	w.Finished()
}

// AskForProd lets octocat ask for prod alone, and waits until its pull request waits
// and nothing is under way.
func (w *World) AskForProd() {
	w.TB.Helper()
	issue, _ := w.TrackingIssue()
	comment, err := w.Sim.As("octocat").Comment(w.Repo, issue.Number, "/promote prod")
	w.must(err)
	w.Until("prod's pull request is open and the command answered", func() bool {
		return len(w.Open()) == 1 && strings.Join(w.Reactions(issue.Number, comment), " ") == "eyes rocket"
	})
	w.Settle()
}

// Finished waits until prod has landed, is recorded, and everything is tidied up.
func (w *World) Finished() {
	w.TB.Helper()
	w.Until("prod landed", func() bool { return w.landed("prod") })
	w.Until("the branches are gone", func() bool { return len(w.Sim.Branches(w.Repo)) == 1 })
	w.Until("prod is recorded", func() bool { return w.Recorded("prod") })
}

// Answers are the comments of the app on an issue.
func (w *World) Answers(number int) []string {
	var out []string
	for _, c := range w.Sim.Comments(w.Repo, number) {
		if strings.HasSuffix(c.Author, "[bot]") {
			out = append(out, c.Body)
		}
	}
	return out
}

func (w *World) waits(stage string) bool {
	open := w.Open()
	c, ok := w.Check("stagecoach/" + stage)
	return ok && len(open) == 1 && c.HeadSHA == open[0].HeadSHA && c.Conclusion == "success" && strings.HasPrefix(c.Title, "Waiting for merge")
}

func (w *World) landed(stage string) bool {
	c, ok := w.Check("stagecoach/" + stage)
	return ok && c.Conclusion == "success" && strings.HasPrefix(c.Title, "Landed in")
}

// Recorded reports whether the ledger says that the stage's last promotion landed.
func (w *World) Recorded(stage string) bool {
	s, err := w.Ledger()
	if err != nil || s.Pipelines["default"] == nil {
		return false
	}
	for _, p := range slices.Backward(s.Pipelines["default"].Promotions) {
		if p.Stage == stage {
			return p.Phase == promotion.PhaseSucceeded && p.Landed != ""
		}
	}
	return false
}

// Ledger reads the record in the tracking issue, and fails where it is not valid.
func (w *World) Ledger() (*promotion.State, error) {
	issue, ok := w.TrackingIssue()
	if !ok {
		return nil, fmt.Errorf("there is no tracking issue")
	}
	none := func(string) (string, bool) { return "", false }
	return ledger.Decode(issue.Body, none, [][]byte{w.LedgerKey()}, w.Repo.ID, issue.Number, true)
}

// LedgerKey is the key that signs ledgers in this world.
func (w *World) LedgerKey() []byte {
	w.TB.Helper()
	env := w.Env()
	set, err := config.Load("", func(k string) string { return env[k] }, nil)
	w.must(err)
	return set.LedgerKey
}

// Faults lists what is wrong with the end of the story: what is missing, and
// what is there twice. Empty: it is as it should be.
func (w *World) Faults() []string {
	var f faults
	f.commits(w)
	f.pulls(w)
	f.checks(w)
	f.issue(w)
	if branches := w.Sim.Branches(w.Repo); len(branches) != 1 {
		f.add("branches left: %v", branches)
	}
	return f
}

type faults []string

func (f *faults) add(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }

// commits: one for each promotion, and the merge of prod's.
func (f *faults) commits(w *World) {
	log, err := w.Sim.Log(w.Repo, "main")
	if err != nil {
		f.add("main: %v", err)
		return
	}
	freight := log[len(log)-1].SHA[:7]
	var titles []string // sorted, since commits of one second have no order
	for _, c := range log[:len(log)-1] {
		title, _, _ := strings.Cut(c.Message, "\n")
		titles = append(titles, title)
	}
	slices.Sort(titles)
	want := []string{"Merge pull request", "Promote app " + freight + " to dev", "Promote app " + freight + " to prod", "Promote app " + freight + " to staging"}
	if !slices.EqualFunc(titles, want, strings.HasPrefix) {
		f.add("main holds %q, want after the first commit %q", titles, want)
	}
	for _, stage := range []string{"dev", "staging", "prod"} {
		if !strings.Contains(w.File("envs/"+stage+"/values.yaml"), freight) {
			f.add("%s does not hold the change", stage)
		}
	}
}

func (f *faults) pulls(w *World) {
	var to []string
	for _, pr := range w.Sim.PullRequests(w.Repo) {
		to = append(to, pr.Title[strings.LastIndex(pr.Title, " ")+1:])
		if !pr.Merged {
			f.add("#%d is not merged", pr.Number)
		}
		if answers := w.Answers(pr.Number); len(answers) > 0 {
			f.add("#%d was commented on: %q", pr.Number, answers)
		}
	}
	if !slices.Equal(to, []string{"staging", "prod"}) {
		f.add("pull requests to %q", to)
	}
}

// checks: one for each promotion and commit, all of them green.
func (f *faults) checks(w *World) {
	seen := map[string]int{}
	for _, c := range w.Sim.CheckRuns(w.Repo) {
		seen[c.ExternalID+" on "+c.HeadSHA[:7]]++
		if c.Conclusion != "success" {
			f.add("check run %s on %s is %s %q: %s", c.Name, c.HeadSHA[:7], c.Status, c.Conclusion, c.Title)
		}
	}
	for what, n := range seen {
		if n > 1 {
			f.add("%d check runs of %s", n, what)
		}
	}
	if len(seen) != 5 {
		f.add("check runs of %d promotions and commits, want 5: %v", len(seen), seen)
	}
}

// issue: one, whose text and record both say that everything is done, with one answer.
func (f *faults) issue(w *World) {
	issues := w.Sim.Issues(w.Repo)
	if len(issues) != 1 || issues[0].State != "open" {
		f.add("%d issues: %+v", len(issues), issues)
		return
	}
	if !strings.Contains(issues[0].Body, "Nothing waits for anybody.") {
		f.add("the tracking issue says that something waits")
	}
	f.answers(w, issues[0])
	s, err := w.Ledger()
	if err != nil {
		f.add("the ledger: %v", err)
		return
	}
	var stages []string
	for _, p := range s.Pipelines["default"].Promotions {
		stages = append(stages, p.Stage)
		if p.Phase != promotion.PhaseSucceeded {
			f.add("the ledger says that %s is %s: %s", p.Name, p.Phase, p.Message)
		}
	}
	if slices.Sort(stages); !slices.Equal(stages, []string{"dev", "prod", "staging"}) {
		f.add("the ledger holds promotions to %q", stages)
	}
	for _, p := range s.Problems {
		f.add("the tracking issue shows a problem: %s", p.Text)
	}
}

func (f *faults) answers(w *World, issue ghsim.Issue) {
	people := 0
	for _, c := range w.Sim.Comments(w.Repo, issue.Number) {
		if c.Body != Ask {
			continue
		}
		people++
		if got := strings.Join(w.Reactions(issue.Number, c.ID), " "); got != "+1 eyes rocket" {
			f.add("the comment's reactions are %q", got)
		}
	}
	if answers := w.Answers(issue.Number); len(answers) != people {
		f.add("%d answers to %d comments: %q", len(answers), people, answers)
	}
}

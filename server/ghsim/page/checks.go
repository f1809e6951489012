package page

import (
	"cmp"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// check is a check run as a page shows it.
type check struct {
	ghsim.CheckRun
	Mark          string // the class of its colour and sign: good, bad, act, busy, off
	Word          string
	Summary, Body template.HTML
	Link          string // of a commit status: where its author says more; check runs have a page here
	IsStatus      bool
}

// marks are the signs of a conclusion, or of a status without one.
var marks = map[string][2]string{
	"success": {"good", "success"}, "neutral": {"off", "neutral"}, "skipped": {"off", "skipped"}, "cancelled": {"off", "cancelled"},
	"failure": {"bad", "failure"}, "timed_out": {"bad", "timed out"}, "startup_failure": {"bad", "startup failure"}, "stale": {"off", "stale"},
	"action_required": {"act", "action required"}, "queued": {"busy", "queued"}, "in_progress": {"busy", "in progress"},
}

func (v *visit) newCheck(run ghsim.CheckRun) check {
	m, known := marks[cmp.Or(run.Conclusion, run.Status)]
	if !known {
		m = [2]string{"busy", cmp.Or(run.Conclusion, run.Status)}
	}
	c := check{CheckRun: run, Mark: m[0], Word: m[1], Summary: v.comments(run.Summary), Body: v.comments(run.Text)}
	if run.Status != "completed" {
		c.Actions = nil // GitHub shows buttons on completed runs alone
	}
	return c
}

// newStatus shows a commit status among the checks.
func newStatus(s ghsim.Status) check {
	m := map[string][2]string{"success": {"good", "success"}, "pending": {"busy", "pending"}}[s.State]
	if m[0] == "" {
		m = [2]string{"bad", s.State}
	}
	return check{CheckRun: ghsim.CheckRun{Name: s.Context, Title: s.Description, HeadSHA: s.SHA}, Mark: m[0], Word: m[1], Link: webLink(s.TargetURL), IsStatus: true}
}

// webLink is an address that a page may lead to, "" for any other.
func webLink(address string) string {
	if strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://") {
		return address
	}
	return ""
}

// statuses are the newest of each context, by commit.
func (v *visit) statuses() map[string][]check {
	newest := map[[2]string]ghsim.Status{}
	for _, s := range v.sim.Statuses(v.repo) {
		newest[[2]string{s.SHA, s.Context}] = s
	}
	out := map[string][]check{}
	for _, s := range newest {
		out[s.SHA] = append(out[s.SHA], newStatus(s))
	}
	return out
}

// checks are the newest run and status of each name on a commit, by name.
func (v *visit) checks(sha string) []check {
	out := v.statuses()[sha]
	for _, run := range newest(v.sim.CheckRuns(v.repo)) {
		if run.HeadSHA == sha {
			out = append(out, v.newCheck(run))
		}
	}
	slices.SortFunc(out, func(a, b check) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// newest keeps of runs, oldest first, the last one of each App and name on a commit.
func newest(runs []ghsim.CheckRun) []ghsim.CheckRun {
	type key struct{ sha, app, name string }
	last := map[key]int64{}
	for _, run := range runs {
		last[key{run.HeadSHA, run.App, run.Name}] = run.ID
	}
	return slices.DeleteFunc(runs, func(run ghsim.CheckRun) bool { return last[key{run.HeadSHA, run.App, run.Name}] != run.ID })
}

// run is the page of one check run.
func (v *visit) run() error {
	id := v.checkID()
	for _, run := range v.sim.CheckRuns(v.repo) {
		if run.ID == id {
			return v.show("run", run.Name+" · "+v.repo.FullName(), "code", v.newCheck(run))
		}
	}
	return missing("%s has no check run %s.", v.repo.FullName(), v.r.PathValue("id"))
}

func (v *visit) checkID() int64 {
	id, err := strconv.ParseInt(v.r.PathValue("id"), 10, 64)
	if err != nil {
		return 0
	}
	return id
}

// press presses a button of a check run.
func (v *visit) press() error {
	me, err := v.hands()
	if err != nil {
		return err
	}
	button := v.r.PostForm.Get("button")
	if button == "" {
		return failed(http.StatusBadRequest, "The form names no button.")
	}
	err = me.PressButton(v.repo, v.checkID(), button)
	return v.said(err, "The App was told that you pressed the button.", v.back(v.at("runs", v.r.PathValue("id"))))
}

package promotiontest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// ErrLost is the error of an effect whose answer got lost.
var ErrLost = errors.New("connection reset")

// World runs the core against a small model of GitHub. Whatever it does, the
// model keeps what a person would see, so that a test can look for doubles.
type World struct {
	State *promotion.State
	Now   time.Time
	// Fault decides what happens to an effect; nil: all goes well.
	Fault func(promotion.Effect) Fault
	// Refuse answers an effect with an error of GitHub's; nil: it refuses nothing.
	Refuse func(promotion.Effect) error
	// Hold keeps an effect from being run at all; nil: none is held.
	Hold func(promotion.Effect) bool
	// OnAdvance sees each decision of the core; nil: nobody looks.
	OnAdvance func(before, after *promotion.State)
	// Permission of everybody; "" is write.
	Permission string
	// Role is the name of everybody's role; "" is that of Permission.
	Role string
	// Teams are the members of each team, by login.
	Teams map[string][]string
	// TeamsUnread says why the members of teams cannot be read; "": they can.
	TeamsUnread string
	// Results are what others' checks say of commits, as a look at them finds it.
	Results map[string][]promotion.CheckChanged
	// MayMerge says whether GitHub lets the app merge; nil: it does.
	MayMerge func() bool
	// Conflicts are the files in which a promotion's commit does not merge into its
	// base; nil: it merges.
	Conflicts func(*promotion.Promotion) []string
	// Overwrites are the files in which its new edit would take away what people
	// wrote; nil: none.
	Overwrites func(*promotion.Promotion) []string
	// Mergeable is what GitHub says of a pull request that is read; nil: nothing yet.
	Mergeable func(*Pull) promotion.Mergeability
	// Gone are the files of a stage in which somebody changed by hand what landed; nil: none.
	Gone func(stage string) []string
	// ConfigChecked reports that a pull request changes pipeline files; nil: none does.
	ConfigChecked func(promotion.Effect) bool
	// Unchanged reports that there is nothing to commit; nil: there always is.
	Unchanged func(*promotion.Promotion) bool
	// Source says what a look at a source finds that no push tells of; nil: nothing.
	Source func(promotion.Effect) promotion.Result
	// StepResult overrides the result of an editing step.
	StepResult func(promotion.Effect) promotion.Result

	Tip       string            // of main, as a look at a source finds it; "": nobody pushed
	Commits   map[string]string // branch → promotion whose commit is its tip
	Heads     map[string]string // branch → that commit
	Landed    []string          // promotions whose commits are on main, in order
	Anew      []string          // commits of edits that were made anew and pushed, in order
	Pulls     []*Pull
	Checks    map[string]int // "external id@sha" → how many check runs
	Reactions map[string]int
	// Shown are what was written on each commit of a git source, one check run each, in order.
	Shown map[string][]CommitRun
	// Deployments are the states told of each promotion's Deployment, in order.
	Deployments map[string][]string
	Replies     []string
	// History are the promotions of each comment of the history.
	History []string
	// Plans are the plans that stand in a comment, by effect.
	Plans   map[string][]promotion.Preview
	Ran     map[string]int // step effect → how often it really ran
	Wake    time.Time
	Written int // ledger writes

	comments int64 // made by Say
}

// Pull is a pull request of the model.
type Pull struct {
	Number int
	Branch string
	Head   string
	State  string // open, merged, closed
}

// Fault says how an effect goes wrong.
type Fault int

// The faults.
const (
	Well       Fault = iota
	NotDone          // it was not done, and an error came back
	AnswerLost       // it was done, and an error came back
	Crash            // it was done, and the process died before the answer
	CrashFirst       // the process died before it was done
)

// NewWorld is a repository whose config holds the pipelines.
func NewWorld(pipelines ...*promotion.Pipeline) *World {
	w := &World{
		State: &promotion.State{Version: promotion.StateVersion, Repo: Repo, Issue: 1}, Now: Start,
		comments: 1_000_000,
		Commits:  map[string]string{}, Heads: map[string]string{}, Checks: map[string]int{}, Reactions: map[string]int{}, Ran: map[string]int{},
		Plans: map[string][]promotion.Preview{},
	}
	w.Take(Config(pipelines...))
	return w
}

// Take gives the inputs to the core and runs what follows until nothing is left
// to do now.
func (w *World) Take(inputs ...promotion.Input) {
	w.advance(inputs...)
	for range 10_000 {
		e, ok := w.next()
		if !ok {
			return
		}
		w.runOne(e)
	}
	panic("the effects never end")
}

func (w *World) advance(inputs ...promotion.Input) {
	d := promotion.Advance(w.State, inputs, w.Now)
	if skipped := Skipped(d, w.Now); skipped != "" {
		panic("the core skips " + skipped)
	}
	before := w.State
	w.State, w.Wake = d.State, d.Wake
	if w.OnAdvance != nil {
		w.OnAdvance(before, w.State)
	}
}

// next is the effect to run next; late ones come last, after the ledger is written.
func (w *World) next() (promotion.Effect, bool) {
	d := promotion.Advance(w.State, nil, w.Now)
	d.Effects = slices.DeleteFunc(d.Effects, func(e promotion.Effect) bool { return w.Hold != nil && w.Hold(e) })
	for _, now := range []func(promotion.Effect) bool{
		func(e promotion.Effect) bool { return !e.Late && !e.AtRest },
		func(e promotion.Effect) bool { return e.AtRest },
	} {
		if i := slices.IndexFunc(d.Effects, now); i >= 0 {
			return d.Effects[i], true
		}
	}
	if len(d.Effects) > 0 {
		w.Written++
		return d.Effects[0], true
	}
	return promotion.Effect{}, false
}

func (w *World) runOne(e promotion.Effect) {
	if e.Cancelled {
		w.advance(promotion.Result{Effect: e.ID, Err: promotion.ErrCancelled})
		return
	}
	if w.Refuse != nil {
		if err := w.Refuse(e); err != nil {
			w.advance(promotion.Result{Effect: e.ID, Err: err})
			return
		}
	}
	fault := Well
	if w.Fault != nil {
		fault = w.Fault(e)
	}
	switch fault {
	case NotDone:
		w.advance(promotion.Result{Effect: e.ID, Err: ErrLost})
	case AnswerLost:
		w.run(e)
		w.advance(promotion.Result{Effect: e.ID, Err: ErrLost})
	case Crash:
		w.run(e)
		w.Restart()
	case CrashFirst:
		w.Restart()
	default:
		r := w.run(e)
		r.Effect = e.ID
		w.advance(r)
	}
}

// Restart comes back with the saved state: through JSON, as from a store, with
// every effect that has no result under the suspicion that it was done.
func (w *World) Restart() {
	raw, err := json.Marshal(w.State)
	if err != nil {
		panic(err)
	}
	var s promotion.State
	if err := json.Unmarshal(raw, &s); err != nil {
		panic(err)
	}
	for _, e := range s.Local.Pending {
		e.Look = true
	}
	w.State = &s
}

// LoseStore comes back with an empty disk: the ledger is there, and what GitHub shows.
func (w *World) LoseStore(pipelines ...*promotion.Pipeline) {
	w.Restart()
	w.State.Local = promotion.Local{}
	w.Take(Config(pipelines...), promotion.Rebuilt{})
}

// react gives a reaction and, where that is asked for, what was there before.
func (w *World) react(e promotion.Effect) (r promotion.Result) {
	key := func(text string) string { return fmt.Sprint(e.Comment, " ", text) }
	if e.Earlier && w.Reactions[key(e.Text)] > 0 {
		r.Before = true
		for _, v := range []promotion.Verdict{promotion.VerdictStarted, promotion.VerdictDone, promotion.VerdictWrong, promotion.VerdictDenied} {
			if w.Reactions[key(string(v))] > 0 {
				r.Verdict = v
			}
		}
	}
	w.Reactions[key(e.Text)] = 1
	return r
}

// found are the traces that promotions left in git.
func (w *World) found() []promotion.Found {
	var out []promotion.Found
	for _, branch := range slices.Sorted(maps.Keys(w.Commits)) {
		pipeline, _, name, _ := promotion.ParseBranch(branch)
		out = append(out, promotion.Found{Promotion: name, Pipeline: pipeline, Freight: w.freightOf(name), Branch: branch, Commit: w.Heads[branch]})
	}
	for _, name := range w.Landed {
		out = append(out, promotion.Found{Promotion: name, Pipeline: "default", Freight: w.freightOf(name), Branch: "main", Commit: SHA(name), Landed: true})
	}
	return out
}

// freightOf is what the trailer of the promotion's commit says.
func (w *World) freightOf(name string) string {
	if p := w.State.Promotion(name); p != nil {
		return p.Freight
	}
	return ""
}

// Sleep lets time pass, waking the core when it wants to be.
func (w *World) Sleep(d time.Duration) {
	end := w.Now.Add(d)
	for !w.Wake.IsZero() && !w.Wake.After(end) {
		w.Now = w.Wake
		w.Take(promotion.Event{Repo: Repo, Body: promotion.Woke{}})
	}
	w.Now = end
	w.Take()
}

func (w *World) run(e promotion.Effect) promotion.Result {
	switch e.Kind {
	case promotion.KindStep:
		return w.step(e)
	case promotion.KindCheck:
		key := e.Check.ExternalID + "@" + e.Check.SHA
		if e.Check.ID == 0 && (!e.Look || w.Checks[key] == 0) {
			w.Checks[key]++
		}
		return promotion.Result{CheckID: 1}
	case promotion.KindCommitCheck:
		return w.showCommit(e)
	case promotion.KindDeployment:
		return w.deploy(e)
	case promotion.KindReact:
		return w.react(e)
	case promotion.KindReply:
		marked := fmt.Sprintf("%s\n<!-- %s -->", e.Text, e.ID)
		if !e.Look || !slices.Contains(w.Replies, marked) {
			w.Replies = append(w.Replies, marked)
		}
	case promotion.KindConfigCheck:
		if w.ConfigChecked != nil && w.ConfigChecked(e) {
			return promotion.Result{CheckID: 2}
		}
	case promotion.KindHistory:
		if !e.Look || !slices.Contains(w.History, strings.Join(e.Names, " ")) {
			w.History = append(w.History, strings.Join(e.Names, " "))
		}
	case promotion.KindPlan:
		if !e.Look || w.Plans[e.ID] == nil {
			w.Plans[e.ID] = append(w.Plans[e.ID], *e.Preview)
		}
	case promotion.KindPermission:
		level := cmp.Or(w.Permission, "write")
		return promotion.Result{Permission: level, Role: cmp.Or(w.Role, level), Teams: w.teams(e), TeamsUnread: w.TeamsUnread}
	case promotion.KindChecks:
		return promotion.Result{Checks: slices.Clone(w.Results[e.SHA])}
	case promotion.KindCompare:
		return w.compare(e)
	case promotion.KindDrift:
		if w.Gone != nil {
			return promotion.Result{Conflicts: w.Gone(e.Stage)}
		}
	case promotion.KindPullRequest:
		return w.close(e)
	case promotion.KindSource:
		return w.source(e)
	case promotion.KindAdopt:
		return promotion.Result{Found: w.found()}
	case promotion.KindDeleteBranch:
		delete(w.Commits, e.Branch)
		for _, pr := range w.Pulls {
			if pr.Branch == e.Branch && pr.State == "open" {
				pr.State = "closed" // as GitHub does
			}
		}
	}
	return promotion.Result{}
}

// deploy makes a promotion's Deployment, or gives it another state.
func (w *World) deploy(e promotion.Effect) promotion.Result {
	if w.Deployments == nil {
		w.Deployments = map[string][]string{}
	}
	told := w.Deployments[e.Promotion]
	if len(told) == 0 || told[len(told)-1] != e.Text {
		w.Deployments[e.Promotion] = append(told, e.Text)
	}
	return promotion.Result{DeploymentID: 1}
}

func (w *World) teams(e promotion.Effect) []string {
	return slices.DeleteFunc(slices.Clone(e.Teams), func(team string) bool { return !slices.Contains(w.Teams[team], e.Login) })
}

// Check lets another app's check say something of a commit and tells the core.
func (w *World) Check(sha, name, conclusion string) {
	k := promotion.CheckChanged{SHA: sha, Name: name, App: 9, ID: int64(len(w.Results[sha]) + 1), Conclusion: conclusion, At: w.Now}
	if w.Results == nil {
		w.Results = map[string][]promotion.CheckChanged{}
	}
	w.Results[sha] = append(w.Results[sha], k)
	w.Take(promotion.Event{Repo: Repo, At: w.Now, Body: k})
}

// Landing is the commit with which a stage's current freight landed.
func (w *World) Landing(stage string) string {
	for _, ps := range w.State.Pipelines {
		if st := ps.Stages[stage]; st != nil && st.Current != nil {
			return st.Current.Commit
		}
	}
	return ""
}

// Say is a comment on the tracking issue, one command, by somebody.
func (w *World) Say(login, line string) {
	w.comments++
	e := Comment(w.comments, w.Now, line)
	body := e.Body.(promotion.Commented)
	body.By = login
	e.Body = body
	w.Take(e)
}

func (w *World) source(e promotion.Effect) promotion.Result {
	if e.Version != "" && w.Source == nil {
		return promotion.Result{} // no source has anything older
	}
	if p := w.State.Local.Config[e.Pipeline]; p != nil && w.Source != nil {
		if i := slices.IndexFunc(p.Sources, func(s promotion.Source) bool { return s.Name == e.Source }); i >= 0 && !p.Sources[i].OwnBranch(w.State.Repo) {
			return w.Source(e)
		}
	}
	r := promotion.Result{Tip: w.Tip}
	if w.Tip != "" && w.Tip != e.SHA {
		r.Artifact = &promotion.Artifact{Source: e.Source, Kind: "git", Repo: Repo.FullName(), Branch: "main", Commit: w.Tip}
	}
	return r
}

// close closes a pull request that is still open, and tells what it is then.
func (w *World) close(e promotion.Effect) promotion.Result {
	for _, pr := range w.Pulls {
		if pr.Number != e.Number && (e.Number != 0 || pr.Branch != e.Branch) {
			continue
		}
		r := promotion.Result{}
		switch pr.State {
		case "open":
			pr.State = "closed"
		case "merged":
			r.Landed = SHA("merge of " + e.Promotion)
		}
		r.PullRequest = &promotion.PullRequest{Number: pr.Number, Head: pr.Head, State: pr.State}
		return r
	}
	return promotion.Result{}
}

func (w *World) step(e promotion.Effect) promotion.Result {
	p := w.State.Promotion(e.Promotion)
	w.Ran[e.ID]++
	switch uses := p.Plan.Steps[e.Step].Uses; uses {
	case "git-commit":
		return w.commit(p)
	case "git-push":
		return w.push(e, p)
	case "git-open-pr":
		return w.open(e, p)
	case "git-wait-for-pr":
		return w.look(p)
	case "git-merge-pr":
		return w.merge(e, p)
	}
	if w.StepResult != nil {
		return w.StepResult(e)
	}
	return promotion.Result{Phase: promotion.StepSucceeded, Mounts: []promotion.Mount{{Path: ".", Branch: "main", Commit: SHA("main")}}}
}

func (w *World) push(e promotion.Effect, p *promotion.Promotion) promotion.Result {
	if p.Plan.Deliver == promotion.DeliverCommit {
		if !slices.Contains(w.Landed, p.Name) { // compare-and-swap: the same commit again is adopted
			w.Landed = append(w.Landed, p.Name)
		}
		return promotion.Result{Phase: promotion.StepSucceeded, Pushed: p.Plan.Branch, Landed: SHA(p.Name)}
	}
	branch := promotion.BranchName(p.Pipeline, p.Stage, p.Name)
	if p.Redo != nil {
		return w.pushAnew(e, p, branch)
	}
	w.Commits[branch], w.Heads[branch] = p.Name, p.Commit
	return promotion.Result{Phase: promotion.StepSucceeded, Pushed: branch}
}

func (w *World) open(e promotion.Effect, p *promotion.Promotion) promotion.Result {
	if p.Redo != nil && p.PullRequest != nil {
		return promotion.Result{Phase: promotion.StepSucceeded, PullRequest: p.PullRequest}
	}
	var mine *Pull
	for _, pr := range w.Pulls {
		if pr.Branch == p.Pushed && pr.State == "open" && e.Look {
			mine = pr
		}
	}
	if mine == nil {
		mine = &Pull{Number: 100 + len(w.Pulls), Branch: p.Pushed, Head: p.Commit, State: "open"}
		w.Pulls = append(w.Pulls, mine)
	}
	return promotion.Result{Phase: promotion.StepSucceeded, PullRequest: &promotion.PullRequest{Number: mine.Number, Head: mine.Head, State: "open"}}
}

func (w *World) look(p *promotion.Promotion) promotion.Result {
	i := slices.IndexFunc(w.Pulls, func(pr *Pull) bool { return pr.Number == p.PullRequest.Number })
	pr := w.Pulls[i]
	seen := &promotion.PullRequest{Number: pr.Number, Head: pr.Head, State: pr.State}
	switch pr.State {
	case "merged":
		return promotion.Result{Phase: promotion.StepSucceeded, PullRequest: seen, Landed: SHA("merge of " + p.Name)}
	case "closed":
		return promotion.Result{Phase: promotion.StepFailed, PullRequest: seen, Message: fmt.Sprintf("#%d was closed without a merge", pr.Number)}
	}
	r := promotion.Result{Phase: promotion.StepWaiting, PullRequest: seen, Message: "Waiting for merge: all gates are open"}
	if w.Mergeable != nil {
		r.Mergeable = w.Mergeable(pr)
	}
	return r
}

// merge merges the pull request as the app does, unless it may only look.
func (w *World) merge(e promotion.Effect, p *promotion.Promotion) promotion.Result {
	i := slices.IndexFunc(w.Pulls, func(pr *Pull) bool { return pr.Number == p.PullRequest.Number })
	if w.Pulls[i].State == "open" && !e.Hold && w.Pulls[i].Head == p.PullRequest.Head && (w.MayMerge == nil || w.MayMerge()) {
		w.Pulls[i].State = "merged"
	}
	r := w.look(p)
	if r.Phase == promotion.StepWaiting {
		r.Tried = !e.Hold && w.Pulls[i].Head == p.PullRequest.Head
		r.Message = "Waiting for GitHub's required checks"
	}
	return r
}

// PushTo lets somebody push to the open pull request of a stage.
func (w *World) PushTo(stage, by, sha string) {
	for _, pr := range w.Pulls {
		if pr.State == "open" && strings.Contains(pr.Branch, "/"+stage+"/") {
			pr.Head, w.Heads[pr.Branch] = sha, sha
			w.Take(promotion.Event{Repo: Repo, At: w.Now, Body: promotion.PullRequestChanged{
				Number: pr.Number, Action: "synchronize", HeadBranch: pr.Branch, HeadSHA: sha, Base: "main", SameRepo: true, By: by,
			}})
		}
	}
}

// Last is the newest promotion of a stage, or nil.
func (w *World) Last(stage string) *promotion.Promotion {
	all := w.All(stage)
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}

// End merges or closes the open pull request of a stage and tells the core.
// Without one it does nothing.
func (w *World) End(stage, state string) {
	for _, pr := range w.Pulls {
		if pr.State == "open" && strings.Contains(pr.Branch, "/"+stage+"/") {
			pr.State = state
			w.Take(promotion.Event{Repo: Repo, Body: promotion.PullRequestChanged{
				Number: pr.Number, Action: "closed", HeadBranch: pr.Branch, HeadSHA: pr.Head, Base: "main", SameRepo: true, Merged: state == "merged",
			}})
			return
		}
	}
}

// Phases are the phases of a stage's promotions, in order of name.
func (w *World) Phases(stage string) []promotion.Phase {
	var out []promotion.Phase
	for _, p := range w.All(stage) {
		out = append(out, p.Phase)
	}
	return out
}

// All are a stage's promotions in order of name.
func (w *World) All(stage string) []*promotion.Promotion {
	byName := map[string]*promotion.Promotion{}
	for _, ps := range w.State.Pipelines {
		for _, p := range ps.Promotions {
			if p.Stage == stage {
				byName[p.Name] = p
			}
		}
	}
	var out []*promotion.Promotion
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, byName[name])
	}
	return out
}

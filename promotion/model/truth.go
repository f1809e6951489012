package model

import (
	"slices"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// unapproved is why a promotion waits for people.
const unapproved = "too few approved"

// shut says why a promotion must not start (or, merging, must not be merged by
// the app): a gate is surely not open, by what is so on the hub and by what the
// core was told. "" means that it may be open.
func (r *rules) shut(p *promotion.Promotion, merging bool) string {
	st := r.config.Stage(p.Stage)
	switch {
	case st == nil:
		return "its stage is not in the config"
	case r.blocked[p.Freight]:
		return "its freight is blocked"
	}
	if p.Priority != promotion.PriorityRollback {
		if _, all := r.frozen["all"]; all {
			return "all is frozen"
		}
		if _, frozen := r.frozen[p.Stage]; frozen {
			return "the stage is frozen"
		}
		if len(st.Gates.Windows) > 0 && !working(r.now) {
			return "no window is open"
		}
	}
	if (merging || st.Deliver != promotion.DeliverPullRequest || len(st.Steps) == 0) && !r.agreed(st, p) {
		return unapproved
	}
	if merging || p.Priority == promotion.PriorityRollback {
		return ""
	}
	return r.ineligible(st, p.Freight, p.Priority)
}

// working is the window of the schedules: weekdays from 9 to 17 UTC.
func working(t time.Time) bool {
	return t.Weekday() != time.Saturday && t.Weekday() != time.Sunday && t.Hour() >= 9 && t.Hour() < 17
}

// ineligible says why freight is surely not eligible for a stage.
func (r *rules) ineligible(st *promotion.Stage, freight string, priority int) string {
	if r.blocked[freight] {
		return "it is blocked"
	}
	var since []time.Time
	why := ""
	for _, before := range st.After {
		at, reason := r.verified(before, freight)
		if reason == "" && len(st.Gates.Checks) > 0 {
			reason = r.notGreen(before, freight, "e2e")
		}
		if reason != "" {
			why = reason
			continue
		}
		since = append(since, at)
	}
	if len(since) < len(st.After) && (st.AfterMode != promotion.AfterAny || len(since) == 0) {
		return why
	}
	slices.SortFunc(since, time.Time.Compare)
	soaks := r.made(freight)
	if len(since) > 0 {
		if soaks = since[len(since)-1]; st.AfterMode == promotion.AfterAny {
			soaks = since[0]
		}
	}
	if priority == promotion.PriorityNormal && r.now.Before(soaks.Add(st.Gates.Soak)) {
		return "it has not soaked"
	}
	return ""
}

// made is when freight was pushed.
func (r *rules) made(freight string) time.Time {
	for _, c := range r.lines["main"] {
		if freightOf(c.sha) == freight {
			return c.at
		}
	}
	return start
}

// arrivals are the landings of freight in a stage.
func (r *rules) arrivals(stage, freight string) []landing {
	var out []landing
	for _, l := range slices.Concat(r.landed[stage], r.empty[stage]) {
		if l.freight == freight {
			out = append(out, l)
		}
	}
	return out
}

// verified is the earliest time at which a stage may have verified freight, or
// why it surely has not.
func (r *rules) verified(stage, freight string) (at time.Time, why string) {
	arrived := r.arrivals(stage, freight)
	if len(arrived) == 0 {
		return at, "it never reached " + stage
	}
	if undone, taken := r.undone[stage+"/"+freight]; taken && len(arrived) <= undone.arrived {
		return at, stage + " was rolled back from it"
	}
	at = arrived[0].at
	st := r.config.Stage(stage)
	if st == nil || st.Verify == nil || st.Verify.OnFailure == promotion.OnFailureIgnore {
		return at, ""
	}
	first := never
	for _, l := range arrived {
		if l.sha == "" && l.at.Before(first) {
			first = l.at // there was nothing to verify
		}
		if t, ok := r.firstGreen(stage, l.sha, "argocd/web"); ok && t.Before(first) {
			first = t
		}
	}
	if first.Equal(never) {
		return at, "nothing was ever green for it in " + stage
	}
	if r.red(stage, "argocd/web") {
		return at, stage + " is not healthy"
	}
	if first.After(at) {
		at = first
	}
	return at, ""
}

// containing are a commit and the later ones of its branch.
func (r *rules) containing(stage, sha string) []string {
	out := []string{sha}
	line := r.lines[r.branch(stage)]
	if i := slices.IndexFunc(line, func(c *commit) bool { return c.sha == sha }); i >= 0 {
		for _, c := range line[i+1:] {
			out = append(out, c.sha)
		}
	}
	return out
}

func (r *rules) firstGreen(stage, sha, name string) (time.Time, bool) {
	first, found := never, false
	for _, c := range r.containing(stage, sha) {
		for _, k := range r.others[c] {
			if k.Name == name && green(k.Conclusion) && k.at.Before(first) {
				first, found = k.at, true
			}
		}
	}
	return first, found
}

func green(conclusion string) bool {
	return conclusion == "success" || conclusion == "neutral" || conclusion == "skipped"
}

// red reports whether the core was told that what a stage holds is red: the
// newest word on its commit is no, and no later commit is green.
func (r *rules) red(stage, name string) bool {
	st := r.stageState(stage)
	if st == nil || st.Current == nil || st.Current.Commit == "" {
		return false
	}
	k := r.heard[st.Current.Commit][name]
	if k.Conclusion == "" || green(k.Conclusion) {
		return false
	}
	for _, c := range r.containing(stage, st.Current.Commit)[1:] {
		if green(r.heard[c][name].Conclusion) {
			return false
		}
	}
	return true
}

// anyRed reports whether the core was told of a no on a commit or on a later one.
func (r *rules) anyRed(stage, sha, name string) bool {
	return slices.ContainsFunc(r.containing(stage, sha), func(c string) bool {
		k := r.heard[c][name]
		return k.Conclusion != "" && !green(k.Conclusion)
	})
}

func (r *rules) stageState(stage string) *promotion.StageState {
	if ps := r.state.Pipelines[pipelineName]; ps != nil {
		return ps.Stages[stage]
	}
	return nil
}

// notGreen says why a check is surely not green for freight in a stage.
func (r *rules) notGreen(stage, freight, name string) string {
	for _, l := range r.arrivals(stage, freight) {
		if _, ok := r.firstGreen(stage, l.sha, name); ok || l.sha == "" {
			return ""
		}
	}
	return name + " was never green for it in " + stage
}

// openingOf is when a promotion began to open its pull request.
func openingOf(p *promotion.Promotion) time.Time {
	for i, st := range p.Steps {
		if p.Plan.Steps[i].Uses == "git-open-pr" && st.Since.After(p.StartedAt) {
			return st.Since
		}
	}
	return p.StartedAt
}

// agreed reports whether enough people approved what stands there (promise 19).
func (r *rules) agreed(st *promotion.Stage, p *promotion.Promotion) bool {
	a := st.Gates.Approvals
	if a == nil {
		return true
	}
	need := max(a.Count, 1)
	var pull *pull
	if p.PullRequest != nil {
		pull = r.pullOf(p)
	}
	by := map[string]bool{}
	for _, y := range r.yes {
		if y.promotion != "" && y.promotion != p.Name || y.promotion == "" && (y.stage != p.Stage || !y.at.Add(time.Second).After(p.CreatedAt)) {
			continue
		}
		head, was := "", false
		if pull != nil {
			// One that was written while the pull request was being opened counts for it.
			if head, was = y.heads[pull.number]; !was && !y.at.Add(time.Second).Before(openingOf(p)) && len(pull.pushers) == 0 {
				head = pull.first
			}
		}
		if pull != nil && head != pull.head || y.review != 0 && r.dismissed[y.review] {
			continue
		}
		if named := len(a.Users) > 0; named && !r.mayApprove(st, y.by, r.reads[y.by]) || !named && !y.may {
			continue
		}
		if a.ExcludeRequester && (strings.EqualFold(y.by, p.RequestedBy) || pull != nil && slices.Contains(pull.pushers, y.by)) {
			continue
		}
		by[y.by] = true
	}
	return len(by) >= need
}

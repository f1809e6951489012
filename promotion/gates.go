package promotion

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion/window"
)

// The names of gates, in the order in which they are told.
const (
	GateConflict  = "conflict"  // the pull request can be merged, or the app can make it so
	GateAfter     = "after"     // the stages before it verified the freight
	GateHealth    = "health"    // and are healthy now
	GateBlock     = "block"     // nobody blocked the freight
	GateFreeze    = "freeze"    // nobody froze the stage
	GateSoak      = "soak"      // enough time has passed since
	GateChecks    = "checks"    // what others say of what the stages before it run
	GateApprovals = "approvals" // enough people agreed
	GateWindows   = "windows"   // it is the time for it
	GateConfig    = "config"    // the config can be read; stands alone, because nothing else is known without it
)

// request is what gates judge: freight that wants to go to a stage.
type request struct {
	p       *Pipeline
	stage   *Stage
	freight string
	pr      *Promotion // nil: nobody has asked for it yet
}

// priority is that of the promotion, or of freight that would promote itself.
func (r request) priority() int {
	if r.pr == nil {
		return PriorityNormal
	}
	return r.pr.Priority
}

// eligibility are the gates that freight must have behind it before it is
// promoted at all (DESIGN, section 2). A rollback goes past all but blocks,
// --now past soak.
func (c *core) eligibility(r request) []Gate {
	var out []Gate
	if r.priority() != PriorityRollback {
		out = c.afterGates(r)
	}
	out = append(out, c.blockGate(r)...)
	if r.priority() == PriorityNormal {
		out = append(out, c.soakGate(r)...)
	}
	if r.priority() != PriorityRollback {
		out = append(out, c.checksGate(r)...)
	}
	return out
}

// startGates are all that hold a promotion's start.
func (c *core) startGates(r request) []Gate {
	out := c.eligibility(r)
	if r.priority() != PriorityRollback {
		out = append(out, c.freezeGate(r)...)
		out = append(out, c.windowGate(r)...)
	}
	if r.stage.Deliver != DeliverPullRequest || len(r.stage.Steps) == 0 {
		out = append(out, c.approvalGate(r)...)
	}
	return inOrder(out)
}

// mergeGates are all that hold the merge of a promotion's pull request.
func (c *core) mergeGates(r request) []Gate {
	out := slices.Concat(c.clashGate(r), c.blockGate(r), c.approvalGate(r))
	if r.priority() != PriorityRollback {
		out = append(out, c.freezeGate(r)...)
		out = append(out, c.windowGate(r)...)
	}
	return inOrder(out)
}

// inOrder sorts gates as they are told. What holds longest for a person to know
// comes first.
func inOrder(gates []Gate) []Gate {
	order := []string{GateConflict, GateAfter, GateHealth, GateBlock, GateFreeze, GateSoak, GateChecks, GateApprovals, GateWindows}
	slices.SortStableFunc(gates, func(a, b Gate) int {
		return cmp.Compare(slices.Index(order, a.Name), slices.Index(order, b.Name))
	})
	return gates
}

// shut is the first gate that is not open, or nil.
func shut(gates []Gate) *Gate {
	i := slices.IndexFunc(gates, func(g Gate) bool { return g.Status != GateOpen })
	if i < 0 {
		return nil
	}
	return &gates[i]
}

// afterGates ask whether the stages before this one verified the freight, and
// are healthy now. With afterMode any one stage must be both.
func (c *core) afterGates(r request) []Gate {
	if len(r.stage.After) == 0 {
		return nil
	}
	var verified, healthy, lacking, ill []string
	why := ""
	for _, name := range r.stage.After {
		st := c.state.stageOf(r.p.Name, name)
		if _, ok := st.Verified[r.freight]; !ok {
			lacking = append(lacking, name)
			continue
		}
		verified = append(verified, name)
		if st.Health.Bad {
			ill = append(ill, name)
			why = st.Health.Why
			continue
		}
		healthy = append(healthy, name)
	}
	enough := func(n []string) bool {
		return len(n) == len(r.stage.After) || r.stage.AfterMode == AfterAny && len(n) > 0
	}
	if !enough(verified) {
		return []Gate{{Name: GateAfter, Status: GatePending, Text: "Not yet verified in " + strings.Join(lacking, ", ")}}
	}
	after := Gate{Name: GateAfter, Status: GateOpen, Text: "Verified in " + strings.Join(verified, ", ")}
	if !enough(healthy) {
		return []Gate{after, {Name: GateHealth, Status: GateClosed, Text: sentence("%s is not healthy: %s", strings.Join(ill, ", "), why)}}
	}
	return []Gate{after}
}

// stageOf is what a stage holds, to read; never nil.
func (s *State) stageOf(pipeline, stage string) *StageState {
	if ps := s.Pipelines[pipeline]; ps != nil && ps.Stages[stage] != nil {
		return ps.Stages[stage]
	}
	return &StageState{}
}

func (c *core) blockGate(r request) []Gate {
	ps := c.state.Pipelines[r.p.Name]
	if ps == nil || ps.Blocked[r.freight] == nil {
		return nil
	}
	return []Gate{{Name: GateBlock, Status: GateClosed, Person: true, Text: "Blocked" + ps.Blocked[r.freight].told()}}
}

// told says who set a mark, until when and why.
func (m *Mark) told() string {
	out := ""
	if m.By != "" {
		out = " by " + m.By
	}
	if !m.Until.IsZero() {
		out += " until " + clockOf(m.Until, m.At)
	}
	if m.Reason != "" {
		out += ": " + m.Reason
	}
	return out
}

// clockOf is a time for a sentence: the hour alone when it is less than a day
// from the time of writing, else with its date.
func clockOf(t, from time.Time) string {
	if d := t.Sub(from); d >= 0 && d < 20*time.Hour {
		return t.UTC().Format("15:04 UTC")
	}
	return t.UTC().Format("2 Jan 15:04 UTC")
}

func (c *core) freezeGate(r request) []Gate {
	for _, m := range []*Mark{c.state.Freeze, c.state.stageOf(r.p.Name, r.stage.Name).Freeze} {
		if m != nil && (m.Until.IsZero() || m.Until.After(c.now)) {
			return []Gate{{Name: GateFreeze, Status: GateClosed, Text: "Frozen" + m.told(), Until: m.Until, Person: m.Until.IsZero()}}
		}
	}
	return nil
}

// soakGate waits until enough time has passed since the stages before this one
// verified the freight; where there is none, since it was made.
func (c *core) soakGate(r request) []Gate {
	if r.stage.Gates.Soak <= 0 {
		return nil
	}
	since, ok := c.soaksSince(r)
	if !ok {
		return []Gate{{Name: GateSoak, Status: GatePending, Text: sentence("Soak of %s begins when it is verified", Span(r.stage.Gates.Soak))}}
	}
	until := wholeSecond(since.Add(r.stage.Gates.Soak))
	if until.After(c.now) {
		return []Gate{{Name: GateSoak, Status: GatePending, Text: "Soaking until " + clockOf(until, c.now), Until: until}}
	}
	return []Gate{{Name: GateSoak, Status: GateOpen, Text: "Soaked " + Span(r.stage.Gates.Soak)}}
}

// wholeSecond rounds up: what people read shall not open before it says.
func wholeSecond(t time.Time) time.Time {
	if whole := t.Truncate(time.Second); !whole.Equal(t) {
		return whole.Add(time.Second)
	}
	return t
}

// soaksSince is when the last of the stages before verified the freight; with
// afterMode any, the first.
func (c *core) soaksSince(r request) (time.Time, bool) {
	if len(r.stage.After) == 0 {
		f := c.state.FreightByID(r.p.Name, r.freight)
		if f == nil {
			return time.Time{}, false
		}
		return f.CreatedAt, true
	}
	var times []time.Time
	for _, name := range r.stage.After {
		if at, ok := c.state.stageOf(r.p.Name, name).Verified[r.freight]; ok {
			times = append(times, at)
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	switch {
	case r.stage.AfterMode == AfterAny && len(times) > 0:
		return times[0], true
	case r.stage.AfterMode != AfterAny && len(times) == len(r.stage.After):
		return times[len(times)-1], true
	}
	return time.Time{}, false
}

// checksGate asks what others say of the commits with which the freight reached
// the stages before this one.
func (c *core) checksGate(r request) []Gate {
	globs := r.stage.Gates.Checks
	if len(globs) == 0 {
		return nil
	}
	gate := Gate{Name: GateChecks, Status: GatePending, Text: "Checks begin when it has landed in " + strings.Join(r.stage.After, ", ")}
	judged := 0
	for _, name := range r.stage.After {
		commit, ok := c.landedWith(r.p.Name, name, r.freight)
		if !ok {
			if r.stage.AfterMode == AfterAny {
				continue
			}
			return []Gate{gate}
		}
		judged++
		if commit == "" {
			continue // there was nothing to change: no commit to ask about
		}
		v := c.judgeChecks(globs, c.branchOf(r.p.Stage(name)), commit)
		if !v.isGreen() {
			return []Gate{v.gate()}
		}
	}
	if judged == 0 {
		return []Gate{gate}
	}
	return []Gate{{Name: GateChecks, Status: GateOpen, Text: "Green: " + strings.Join(globs, ", ")}}
}

func (c *core) branchOf(s *Stage) string {
	if s == nil {
		return c.state.Repo.DefaultBranch
	}
	return cmp.Or(s.Branch, c.state.Repo.DefaultBranch)
}

// landedWith is the last commit with which freight landed in a stage.
func (c *core) landedWith(pipeline, stage, freight string) (string, bool) {
	for _, l := range slices.Backward(c.state.stageOf(pipeline, stage).landings()) {
		if l.Freight == freight {
			return l.Commit, true
		}
	}
	return "", false
}

// gate is a verdict that is not green as a gate.
func (v verdict) gate() Gate {
	switch {
	case v.failed != "":
		return Gate{Name: GateChecks, Status: GateClosed, Text: "Checks could not be read: " + v.failed}
	case v.isRed():
		return Gate{Name: GateChecks, Status: GateClosed, Text: "Not green: " + strings.Join(v.red, ", ")}
	case v.unread:
		return Gate{Name: GateChecks, Status: GatePending, Text: "Checks are being read"}
	case len(v.silent) > 0:
		return Gate{Name: GateChecks, Status: GatePending, Text: "No result yet of " + strings.Join(v.silent, ", ")}
	}
	return Gate{Name: GateChecks, Status: GatePending, Text: sentence("Waiting for checks: %d of %d green", v.green, v.all)}
}

func (c *core) windowGate(r request) []Gate {
	if len(r.stage.Gates.Windows) == 0 {
		return nil
	}
	v, err := window.Judge(r.stage.Gates.Windows, c.now)
	switch {
	case err != nil:
		return []Gate{{Name: GateWindows, Status: GateClosed, Text: "The windows cannot be read: " + err.Error(), Person: true}}
	case v.Open:
		return []Gate{{Name: GateWindows, Status: GateOpen, Text: v.Text, Until: v.Until}}
	}
	return []Gate{{Name: GateWindows, Status: GateClosed, Text: v.Text, Until: v.Until}}
}

// Span is a configured duration for people: "30 min", "2 h", "1 h 30 min", "7 d".
func Span(d time.Duration) string {
	var parts []string
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}} {
		if n := d / unit.of; n > 0 {
			parts = append(parts, sentence("%d %s", n, unit.name))
			d -= n * unit.of
		}
	}
	if len(parts) == 0 {
		return "0 s"
	}
	return strings.Join(parts, " ")
}

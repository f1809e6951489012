package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// readable reports whether a comment can still be read: those of an issue go with it.
func (s *server) readable(c *said) bool {
	return c.number != issue || s.page.harmed != "it is deleted"
}

// whatWasSaid are the comments that have a reaction of ours.
func (s *server) whatWasSaid() []promotion.Said {
	var out []promotion.Said
	for _, c := range s.said {
		given := s.given(c.id)
		if s.readable(c) && (len(given) > 0 || s.reacts[fmt.Sprint(c.id, " ", promotion.VerdictSeen)]) {
			out = append(out, promotion.Said{Commented: c.event.Body.(promotion.Commented), At: c.at, Verdicts: given})
		}
	}
	return out
}

// given are the last reactions to a comment.
func (h *hub) given(comment int64) []promotion.Verdict {
	return slices.DeleteFunc(slices.Clone(verdicts), func(v promotion.Verdict) bool { return !h.reacts[fmt.Sprint(comment, " ", v)] })
}

// carriedOut reports whether GitHub shows that all of a comment was carried out, and
// with which verdict its only command.
func (r *rules) carriedOut(c *said) (v promotion.Verdict, ok bool) {
	given := r.given(c.id)
	if !r.readable(c) || len(given) == 0 || slices.ContainsFunc(given, func(v promotion.Verdict) bool {
		return v != promotion.VerdictDone && v != promotion.VerdictStarted
	}) {
		return "", false
	}
	return given[0], true
}

// shown is what people had set, as far as GitHub shows it without a ledger.
func (r *rules) shown() marks {
	now := r.marks
	defer func() { r.marks = now }()
	r.marks = marks{}
	for _, c := range r.hub.said {
		v, ok := r.carriedOut(c)
		if !ok {
			continue
		}
		for _, k := range c.cmds {
			cmd := judgedCommand{by: c.by, name: k.Name, args: k.Args, verdict: v}
			if cmd.stage = r.stageOn(k.Args, c.number); r.isBeside(cmd.stage) {
				continue
			}
			r.mark(cmd, c.at, fmt.Sprint(c.id))
		}
	}
	out := r.marks
	for f := range out.blocked {
		if r.state.FreightByID(pipelineName, f) == nil {
			out.blocked, out.once = unset(out.blocked, f), unset(out.once, f)
		}
	}
	out.paused, out.undone = nil, nil
	for stage, cause := range r.before.paused {
		if r.traced(stage, cause) {
			out.paused = set(out.paused, stage, cause)
		}
	}
	for place, u := range r.before.undone {
		stage, _, _ := strings.Cut(place, "/")
		if r.hasLanded(stage, u.by) {
			out.undone = set(out.undone, place, u)
		}
	}
	return out
}

// stageOn is the stage that a command means: the one it names, or that of the pull
// request on which it stands.
func (r *rules) stageOn(args []string, number int) string {
	if len(args) > 0 {
		return r.meantStage(args[0])
	}
	for _, p := range r.pulls {
		if p.number == number {
			return p.stage
		}
	}
	return ""
}

// traced reports whether GitHub shows what paused a stage: a comment, or a promotion.
func (r *rules) traced(stage, cause string) bool {
	for _, c := range r.hub.said {
		if strconv.FormatInt(c.id, 10) == cause {
			_, ok := r.carriedOut(c)
			return ok
		}
	}
	return r.hasLanded(stage, cause)
}

func (r *rules) hasLanded(stage, name string) bool {
	return slices.ContainsFunc(r.landed[stage], func(l landing) bool { return l.promotion == name })
}

// approvalsStay judges that who approved what stands there is asked no more: what a check
// run on it says of that counts, whatever was lost (promise 19).
func (r *rules) approvalsStay(p *promotion.Promotion) {
	for _, word := range r.approvals[p.Name+"@"+p.PullRequest.Head] {
		by, _, _ := strings.Cut(word, "@")
		if !slices.ContainsFunc(p.Approvals, func(a promotion.Approval) bool { return a.By == by && a.Head == p.PullRequest.Head }) {
			r.fail("promise 19: %s approved %s, and is asked again", by, p.Name)
		}
	}
}

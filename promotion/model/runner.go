package model

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// run runs one effect, with what may go wrong.
func (s *server) run(e promotion.Effect) {
	s.flying[e.ID] = true
	if e.Cancelled {
		s.reply(e, promotion.Result{Err: promotion.ErrCancelled})
		return
	}
	if s.rated[e.ID].After(s.now) {
		s.fail("promise 13: %s is sent before the time that GitHub told", e.ID)
	}
	switch fault := s.luck.draw(40); {
	case fault == 1, fault == 2:
		s.say("   %s fails", e.ID)
		s.reply(e, promotion.Result{Err: errLost})
	case fault == 3:
		s.say("   %s is told to wait", e.ID)
		s.reply(e, promotion.Result{Err: promotion.RetryAfter(7*time.Minute, errors.New("rate limit"))})
	case fault == 4:
		s.say("   %s lacks a permission", e.ID)
		s.reply(e, promotion.Result{Err: &promotion.MissingPermission{Needed: "contents=write", Doing: "work"}})
	case fault == 5 && e.Kind != promotion.KindAdopt && e.Kind != promotion.KindSource && e.Kind != promotion.KindChecks:
		s.say("   %s cannot be done", e.ID)
		s.rules.hopeless[e.ID] = true
		s.reply(e, promotion.Result{Err: promotion.Terminal(errors.New("it cannot be done"))})
	case fault == 6:
		s.say("   the server dies before %s", e.ID)
		s.restart()
		s.advance(woke())
	case fault == 7:
		s.do(e)
		s.say("   the server dies after %s", e.ID)
		s.restart()
		s.advance(woke())
	case fault == 8, fault == 9:
		s.do(e)
		s.say("   the answer of %s is lost", e.ID)
		s.reply(e, promotion.Result{Err: errLost})
	default:
		s.reply(e, s.do(e))
	}
}

func woke() promotion.Event { return promotion.Event{Repo: repo, Body: promotion.Woke{}} }

func (s *server) reply(e promotion.Effect, r promotion.Result) {
	if r.Err == nil && s.plant.Answer != nil {
		r = s.plant.Answer(s.state, e, r)
	}
	r.Effect = e.ID
	s.answer = append(s.answer, r)
}

// do does an effect, through the record where it is a step that has one.
func (s *server) do(e promotion.Effect) promotion.Result {
	s.cost++
	if s.plant.Twice != nil && s.plant.Twice(e) {
		s.act(e)
	}
	return s.act(e)
}

func (s *server) act(e promotion.Effect) promotion.Result {
	switch e.Kind {
	case promotion.KindStep:
		return s.step(e)
	case promotion.KindCheck:
		key := e.Check.ExternalID + "@" + e.Check.SHA
		if e.Check.ID == 0 && (!e.Look || s.runs[key] == 0) {
			if s.runs[key]++; s.runs[key] > 1 {
				s.fail("promise 8: a second check run of %s", key)
			}
		}
		if !s.unruled {
			s.rules.told(e.Check)
		}
		return s.tellCheck(e, key)
	case promotion.KindPressed:
		return promotion.Result{Before: slices.Contains(s.presses[e.Promotion+"@"+e.SHA], e.Text)}
	case promotion.KindCommitCheck:
		return s.showCommit(e)
	case promotion.KindReact:
		return s.react(e)
	case promotion.KindReply:
		s.comment(e)
	case promotion.KindPermission:
		return s.permission(e)
	case promotion.KindChecks:
		return promotion.Result{Checks: s.results(e.SHA)}
	case promotion.KindReviews:
		return s.reviewsOf(e.Number)
	case promotion.KindCompare:
		return s.compare(e)
	case promotion.KindPullRequest:
		return s.closePull(e)
	case promotion.KindDeleteBranch:
		s.deleteBranch(e)
	case promotion.KindSource:
		return s.look(e)
	case promotion.KindAdopt:
		r := promotion.Result{Found: s.found(e.Unknown)}
		if e.Unknown {
			r.Said = s.whatWasSaid()
		}
		return r
	}
	return promotion.Result{}
}

// react gives a reaction. GitHub says whether it was there before, and a look at
// the others how the comment was answered.
func (s *server) react(e promotion.Effect) (r promotion.Result) {
	key := fmt.Sprint(e.Comment, " ", e.Text)
	if e.Earlier && s.reacts[key] {
		r.Before = true
		for _, v := range verdicts {
			if s.reacts[fmt.Sprint(e.Comment, " ", v)] {
				r.Verdict = v
			}
		}
	}
	s.reacts[key] = true
	return r
}

func (s *server) comment(e promotion.Effect) {
	for _, c := range s.said {
		if c.id == e.Comment && (!e.Look || c.replies == 0) {
			if c.replies++; c.replies > 1 {
				s.fail("promise 8: comment %d is answered twice", c.id)
			}
		}
	}
}

func (s *server) permission(e promotion.Effect) promotion.Result {
	r := promotion.Result{Permission: cmp.Or(s.roles[e.Login], "none"), Role: s.roles[e.Login]}
	for _, team := range e.Teams {
		if slices.Contains(s.teams[team], e.Login) {
			r.Teams = append(r.Teams, team)
		}
	}
	return r
}

func (s *server) look(e promotion.Effect) promotion.Result {
	if e.Version != "" {
		return promotion.Result{} // what is forgotten here, nobody has
	}
	if e.Source == imageSource {
		return s.lookAtImage()
	}
	r := promotion.Result{Tip: s.tip("main")}
	if sha := s.source(e.SHA); sha != "" {
		r.Artifact = &promotion.Artifact{Source: e.Source, Kind: "git", Repo: repo.FullName(), Branch: "main", Commit: sha}
	}
	return r
}

func (s *server) closePull(e promotion.Effect) promotion.Result {
	for _, p := range s.pulls {
		if p.number != e.Number && (e.Number != 0 || p.branch != e.Branch) {
			continue
		}
		r := promotion.Result{}
		if p.state == "open" {
			p.state = "closed"
			s.soon = append(s.soon, delivery{s.changed(p, "closed", "stagecoach[bot]")})
		}
		if p.state == "merged" {
			r.Landed = p.landed
		}
		r.PullRequest = p.seen()
		return r
	}
	return promotion.Result{}
}

// deleteBranch deletes a branch, unless its tip is a person's that nobody merged.
func (s *server) deleteBranch(e promotion.Effect) {
	head := s.heads[e.Branch]
	if head == nil || head.by != "" && !slices.ContainsFunc(s.pulls, func(p *pull) bool { return p.head == head.sha && p.state == "merged" }) {
		return
	}
	for _, event := range s.closeOf(e.Branch, "stagecoach[bot]") {
		s.soon = append(s.soon, delivery{event})
	}
}

// tellCheck writes what a check run says of presses. One that is found says still what
// it said.
func (s *server) tellCheck(e promotion.Effect, key string) promotion.Result {
	r := promotion.Result{CheckID: 1}
	heard := e.Check.Heard
	if e.Check.ID == 0 && e.Look {
		r.Heard, r.Approved = s.presses[key], s.approvals[key]
		heard = slices.Concat(r.Heard, heard)
	}
	s.presses[key], s.approvals[key] = heard, e.Check.Approved
	return r
}

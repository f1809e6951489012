package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// step runs a step of a promotion, unless an earlier run recorded it.
func (s *server) step(e promotion.Effect) promotion.Result {
	p := s.state.Promotion(e.Promotion)
	key := fmt.Sprint(e.ID, "@", p.Replays)
	if r, ok := s.record[key]; ok {
		return r
	}
	uses := p.Plan.Steps[e.Step].Uses
	r := s.stepRun(e, p, uses)
	if r.Err == nil && r.Phase.Finished() && uses != "git-open-pr" && uses != "git-wait-for-pr" && uses != "git-merge-pr" {
		s.record[key] = r
	}
	return r
}

func (s *server) stepRun(e promotion.Effect, p *promotion.Promotion, uses string) promotion.Result {
	switch uses {
	case "git-commit":
		return s.commit(p)
	case "git-push":
		if p.Plan.Deliver == promotion.DeliverPullRequest {
			return s.pushOwn(e, p)
		}
		return s.push(e, p)
	case "git-open-pr":
		return s.open(e, p)
	case "git-wait-for-pr":
		return s.await(p)
	case "git-merge-pr":
		return s.mergeByApp(e, p)
	}
	if !s.unruled {
		s.rules.edited(p, e)
	}
	if s.luck.one(30) {
		s.say("   %s answers no", e.ID)
		s.rules.hopeless[e.ID] = true
		return promotion.Result{Phase: promotion.StepFailed, Message: "there is no such key"}
	}
	s.value++
	tip := s.tip(p.Plan.Branch)
	if p.Redo != nil && p.Redo.Tip != "" {
		tip = p.Redo.Tip
	}
	return promotion.Result{
		Phase: promotion.StepSucceeded, Output: map[string]json.RawMessage{"value": json.RawMessage(fmt.Sprint(s.value))},
		Mounts: []promotion.Mount{{Path: ".", Branch: p.Plan.Branch, Commit: tip}},
	}
}

// commit makes the commit of what the first step wrote: the same again, however
// often it is made.
func (s *server) commit(p *promotion.Promotion) promotion.Result {
	if held := s.landed[placeOf(p)]; len(p.Mounts) == 0 || len(held) > 0 && held[len(held)-1].freight == p.Freight {
		return promotion.Result{Phase: promotion.StepSucceeded, Empty: true, Message: "nothing to change"}
	}
	sha := hash(p.Name, p.Mounts[0].Commit, string(p.Steps[0].Output["value"]))
	s.madeOn[sha] = p.Mounts[0].Commit
	return promotion.Result{
		Phase: promotion.StepSucceeded, Commit: sha, Changes: []promotion.Change{{Path: "envs/" + placeOf(p), Status: "modified"}},
	}
}

// made is a commit that a promotion made, dated at its start.
func (s *server) made(p *promotion.Promotion, sha string) *commit {
	message := "Promote\n\n" + p.Trailers(s.state.FreightByID(p.Pipeline, p.Freight))
	return &commit{
		sha: sha, promotion: p.Name, pipeline: p.Pipeline, freight: p.Freight, stage: placeOf(p), path: "envs/" + placeOf(p), message: message,
		asked: p.RequestedBy, carries: promotion.CarriedFreight(message), at: p.StartedAt,
	}
}

// push puts the commit on the stage's branch.
func (s *server) push(e promotion.Effect, p *promotion.Promotion) promotion.Result {
	branch := p.Plan.Branch
	for _, c := range s.lines[branch] {
		if c.promotion == p.Name && e.Look {
			return promotion.Result{Phase: promotion.StepSucceeded, Pushed: branch, Landed: c.sha}
		}
	}
	if s.luck.one(12) {
		s.say("   %s finds that what it read has changed", e.ID)
		return promotion.Result{Err: promotion.ErrStale}
	}
	if !s.unruled {
		s.rules.mayLand(p)
	}
	sha := p.Commit
	if s.tip(branch) != p.Mounts[0].Commit {
		sha = hash(p.Commit, s.tip(branch)) // put on the new tip
	}
	c := s.made(p, sha)
	s.soon = append(s.soon, delivery{s.add(branch, c, "stagecoach[bot]")})
	return promotion.Result{Phase: promotion.StepSucceeded, Pushed: branch, Landed: sha, Commit: sha}
}

// pushOwn pushes the commit to the promotion's own branch.
func (s *server) pushOwn(e promotion.Effect, p *promotion.Promotion) promotion.Result {
	branch := promotion.BranchName(p.Pipeline, p.Stage, p.Name)
	if p.Redo != nil {
		return s.pushAnew(e, p, branch)
	}
	there := s.heads[branch]
	if there != nil && !e.Look && there.sha != p.Commit && there.by != "" {
		s.fail("promise 12: %s is pushed over somebody's commit", branch)
	}
	if there == nil || !e.Look {
		s.heads[branch] = s.made(p, p.Commit)
	}
	return promotion.Result{Phase: promotion.StepSucceeded, Pushed: branch}
}

func (p *pull) seen() *promotion.PullRequest {
	return &promotion.PullRequest{Number: p.number, Head: p.head, State: p.state}
}

// open opens the pull request, or adopts the one that is there.
func (s *server) open(e promotion.Effect, p *promotion.Promotion) promotion.Result {
	if p.Redo != nil && p.PullRequest != nil {
		return promotion.Result{Phase: promotion.StepSucceeded, PullRequest: p.PullRequest}
	}
	for _, o := range s.pulls {
		if o.promotion == p.Name && e.Look && !slices.Contains(p.Former, o.number) {
			return promotion.Result{Phase: promotion.StepSucceeded, PullRequest: o.seen()}
		}
	}
	head := s.heads[p.Pushed]
	if head == nil {
		s.rules.hopeless[e.ID] = true
		return promotion.Result{Err: promotion.Terminal(errors.New("the branch is not there"))}
	}
	o := &pull{
		number: int(s.id()), promotion: p.Name, branch: p.Pushed, base: p.Plan.Branch, stage: placeOf(p), freight: p.Freight, head: head.sha, state: "open",
		headAt: s.now, first: head.sha, own: head.ours(),
	}
	s.pulls = append(s.pulls, o)
	s.noteDirty()
	if n := len(s.pulls); slices.ContainsFunc(s.pulls[:n-1], func(p *pull) bool { return p.branch == o.branch && p.state == "open" }) {
		s.fail("promise 8: a second pull request from %s", o.branch)
	}
	s.soon = append(s.soon, delivery{s.changed(o, "opened", "stagecoach[bot]")})
	return promotion.Result{Phase: promotion.StepSucceeded, PullRequest: o.seen()}
}

func (s *server) pullOf(p *promotion.Promotion) *pull {
	for _, o := range s.pulls {
		if p.PullRequest != nil && o.number == p.PullRequest.Number {
			return o
		}
	}
	return nil
}

func (s *server) await(p *promotion.Promotion) promotion.Result {
	o := s.pullOf(p)
	if o == nil {
		return promotion.Result{Err: promotion.Terminal(errors.New("there is no pull request"))}
	}
	switch o.state {
	case "merged":
		return promotion.Result{Phase: promotion.StepSucceeded, PullRequest: o.seen(), Landed: o.landed}
	case "closed":
		return promotion.Result{Phase: promotion.StepFailed, PullRequest: o.seen(), Message: fmt.Sprintf("#%d was closed", o.number)}
	}
	r := promotion.Result{Phase: promotion.StepWaiting, PullRequest: o.seen(), Message: "Waiting for merge"}
	if p.PullRequest.Head == o.head {
		r.Mergeable = s.mergeability(o)
	}
	return r
}

// mergeByApp merges the pull request, naming the head that the core knows.
func (s *server) mergeByApp(e promotion.Effect, p *promotion.Promotion) promotion.Result {
	o := s.pullOf(p)
	if o != nil && o.state == "open" && !e.Hold && o.head == p.PullRequest.Head && !s.dirty(o) && !s.luck.one(6) {
		s.rules.mayMerge(p, o)
		for _, event := range s.merge(o, "", false) {
			s.soon = append(s.soon, delivery{event})
		}
	}
	r := s.await(p)
	r.Tried = r.Phase == promotion.StepWaiting && !e.Hold && o.head == p.PullRequest.Head
	return r
}

package model

import (
	"fmt"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Plant is a fault that is put into what stands around the core, to show that
// the rules find it. The zero value plants nothing.
type Plant struct {
	Decide func(before *promotion.State, d promotion.Decision, now time.Time) promotion.Decision // changes a decision
	Answer func(s *promotion.State, e promotion.Effect, r promotion.Result) promotion.Result     // changes what an effect answers
	Twice  func(e promotion.Effect) bool                                                         // does an effect twice
	Hide   func(e promotion.Event) bool                                                          // hides an event for good
}

// Play plays a schedule and returns the first promise that was broken; "": all held.
func Play(sched Schedule, plant Plant) string {
	broke, _ := play(sched, plant, false)
	return broke
}

// Tell plays a schedule and returns what happened, for people.
func Tell(sched Schedule, plant Plant) string {
	_, log := play(sched, plant, true)
	return log
}

func play(sched Schedule, plant Plant, tell bool) (broke, log string) {
	var b strings.Builder
	config := pipeline(sched.Stages)
	s := newServer(config, plant)
	if sched.Beside {
		s.beside = besidePipeline()
	}
	if tell {
		s.say = func(format string, args ...any) { fmt.Fprintf(&b, s.now.Format("Mon 15:04:05 ")+format+"\n", args...) }
		s.say("stages: %s", told(config))
	}
	defer func() {
		if v := recover(); v != nil {
			s.fail("panic: %v", v)
			broke, log = s.broke, b.String()
		}
	}()
	s.state = &promotion.State{Version: promotion.StateVersion, Repo: repo, Issue: issue}
	s.state.Local.Writer = storeName(0)
	s.take(s.read())
	for _, m := range sched.Moves {
		if s.broke != "" {
			break
		}
		s.luck = newLuck(m.Luck)
		s.now = s.now.Add(time.Second)
		s.move(m)
		s.flush()
	}
	s.rest()
	return s.broke, b.String()
}

func newServer(config *promotion.Pipeline, plant Plant) *server {
	s := &server{
		hub: newHub(config), plant: plant, say: func(string, ...any) {}, record: map[string]promotion.Result{}, flying: map[string]bool{},
		rated: map[string]time.Time{},
	}
	s.rules = newRules(s)
	return s
}

// rest lets everything come to rest: faults end, what was lost comes at last,
// permissions are given, and time passes. Then everything must be right.
func (s *server) rest() {
	if s.broke != "" {
		return
	}
	s.say("-- from here on nothing fails, and what was lost comes")
	s.luck = 0
	s.take(woke())
	s.take(s.event(promotion.Unblocked{}))
	for range 20 {
		s.flush()
		if len(s.later) == 0 {
			break
		}
		late := s.later
		s.later = nil
		for _, d := range late {
			s.deliver(d)
		}
		s.sleep(20 * time.Minute)
	}
	s.sleep(time.Hour)
	for _, p := range s.pulls {
		if p.state == "open" { // GitHub has no reason any more not to merge
			s.deliver(delivery{s.changed(p, "synchronize", "")})
		}
	}
	s.flush()
	s.sleep(3 * time.Hour)
	if s.broke == "" {
		s.rules.rest()
	}
}

// flush delivers what the app's own doing made GitHub send.
func (s *server) flush() {
	for len(s.soon) > 0 && s.broke == "" {
		d := s.soon[0]
		s.soon = s.soon[1:]
		s.emit(d.event)
	}
}

// emit sends an event on its way: it comes, comes later, or comes twice.
func (s *server) emit(e promotion.Event) {
	if s.plant.Hide != nil && s.plant.Hide(e) {
		return
	}
	d := delivery{e}
	s.sent = append(s.sent, d)
	switch s.luck.draw(6) {
	case 1, 2:
		s.say("   its delivery is late")
		s.later = append(s.later, d)
	case 3:
		s.deliver(d)
		s.deliver(d)
	default:
		s.deliver(d)
	}
}

// told describes a config in one line.
func told(p *promotion.Pipeline) string {
	if p == nil {
		return "none"
	}
	var out []string
	for _, st := range p.Stages {
		out = append(out, toldStage(&st))
	}
	return strings.Join(out, "; ")
}

func toldStage(st *promotion.Stage) string {
	words := []string{st.Name, string(st.Deliver)}
	add := func(yes bool, format string, args ...any) {
		if yes {
			words = append(words, fmt.Sprintf(format, args...))
		}
	}
	add(st.PullRequest.Merge != "", "merge:%s", st.PullRequest.Merge)
	add(st.Auto, "auto")
	add(len(st.After) > 0, "after:%s(%s)", strings.Join(st.After, ","), st.AfterMode)
	add(st.Gates.Soak > 0, "soak:%s", st.Gates.Soak)
	add(len(st.Gates.Checks) > 0, "checks")
	add(st.Gates.Approvals != nil, "approvals:%+v", st.Gates.Approvals)
	add(len(st.Gates.Windows) > 0, "windows")
	add(st.Verify != nil, "verify:%+v", st.Verify)
	add(st.Supersede != promotion.SupersedeQueued, "supersede:%s", st.Supersede)
	add(st.Timeout > 0, "timeout:%s", st.Timeout)
	add(st.Allow != nil, "allow:sre")
	add(len(st.Steps) == 0, "no steps")
	add(st.Branch != "", "branch:%s", st.Branch)
	if len(st.Steps) > 0 {
		add(st.Steps[0].Retry != promotion.Retry{}, "retry:%+v", st.Steps[0].Retry)
		add(st.Steps[0].ContinueOnError, "continueOnError")
	}
	return strings.Join(words, " ")
}

package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// lookEvery is how many decisions are made from one that is held against a look at
// everything to the next.
const lookEvery = 8

// pureEvery is how many decisions are made from one that is held to leave the state alone
// that it was given. It costs more than the decision.
const pureEvery = 20

// errLost is the error of an effect whose answer is missing.
var errLost = errors.New("connection reset")

// server is the model of what stands around the core: the store, the ledger, the
// runners, and a process that can die at any moment.
type server struct {
	*hub
	luck      luck
	plant     Plant
	rules     *rules
	say       func(format string, args ...any)
	state     *promotion.State // in memory, and in the store
	page      page             // the tracking issue
	says      saying
	record    map[string]promotion.Result // what finished steps wrote, by "effect @ attempt"
	flying    map[string]bool             // effects that run, or whose answer is under way
	answer    []promotion.Result          // answers that have not been heard
	due       []promotion.Effect
	wake      time.Time
	later     []delivery // deliveries that are lost or late
	soon      []delivery // what the app's own doing makes GitHub send
	sent      []delivery // all that there were
	value     int        // what the next editing step gives: it differs from run to run
	cost      int        // effects that were run
	rated     map[string]time.Time
	unruled   bool   // the rules are not asked
	stores    int    // that were lost
	decisions int    // of the core
	broke     string // the first promise that was broken
}

// delivery is an event on its way.
type delivery struct{ event promotion.Event }

func (s *server) fail(format string, args ...any) {
	if s.broke == "" {
		s.broke = fmt.Sprintf(format, args...)
		s.say("!! %s", s.broke)
	}
}

// advance gives inputs to the core. The process may die before the decision is
// saved: then it never was, and the deliveries come once more.
func (s *server) advance(inputs ...promotion.Input) {
	stored := s.stored()
	d := promotion.Advance(s.state, inputs, s.now)
	if stored != "" && stored != s.stored() {
		s.fail("a decision changed the state that it was given, of which a save takes what is shared for unchanged")
	}
	if s.luck.one(40) {
		s.say("   the server dies before it has saved what it decided")
		s.restart()
		if _, result := inputs[0].(promotion.Result); result {
			d = promotion.Advance(s.state, nil, s.now)
			inputs = nil
		} else {
			d = promotion.Advance(s.state, inputs, s.now)
		}
	}
	if !s.unruled && s.decisions%lookEvery == 0 { // what is skipped once stays so
		if skipped := promotiontest.Skipped(d, s.now); skipped != "" {
			s.fail("promise 3: a decision skips %s", skipped)
		}
	}
	if s.plant.Decide != nil {
		d = s.plant.Decide(s.state, d, s.now)
	}
	before := s.state
	s.state, s.due, s.wake = d.State, d.Effects, d.Wake
	if s.decisions++; !s.unruled {
		s.rules.see(before, inputs)
	}
}

// stored is the state as it would be stored, of one decision in pureEvery; "": of none.
func (s *server) stored() string {
	if s.unruled || s.decisions%pureEvery != 0 {
		return ""
	}
	raw, err := json.Marshal(s.state)
	if err != nil {
		s.fail("the state cannot be stored: %v", err)
	}
	return string(raw)
}

// restart comes back with what was saved. What was under way may have been done.
func (s *server) restart() {
	next := *s.state
	next.Local.Pending = map[string]*promotion.Effect{}
	for id, e := range s.state.Local.Pending {
		again := *e
		again.Look = true
		next.Local.Pending[id] = &again
	}
	s.state = &next
	s.flying, s.answer = map[string]bool{}, nil
}

// loseDisk comes back with the ledger alone, or with nothing at all but what
// GitHub shows. Comments that have no last reaction are read again.
func (s *server) loseDisk(ledgerToo bool) {
	s.restart()
	fresh := &promotion.State{Version: promotion.StateVersion, Repo: repo, Issue: issue}
	marked := marks{}
	known := s.page.record != nil && !ledgerToo
	if known {
		fresh, marked = Copy(s.page.record), s.page.marked
	}
	whole := known && s.page.harmed != "an older text is put back"
	s.stores++
	fresh.Local.Writer = storeName(s.stores)
	s.record = map[string]promotion.Result{}
	s.state, s.rated = fresh, map[string]time.Time{}
	s.says = saying{}
	s.rules.rebuilt(marked, !whole)
	s.take(s.read(), promotion.Rebuilt{})
	for _, c := range s.said {
		if s.answered(c) {
			continue
		}
		if !known && (s.config == nil && !s.broken || c.number != issue && !s.isOpen(c.number)) {
			c.listened = false // there is no pipeline, or no such pull request, as far as anybody knows
		}
		s.take(c.event)
	}
}

func (h *hub) isOpen(number int) bool {
	return slices.ContainsFunc(h.pulls, func(p *pull) bool { return p.number == number && p.state == "open" })
}

// verdicts are the last reactions to a comment.
var verdicts = []promotion.Verdict{promotion.VerdictStarted, promotion.VerdictDone, promotion.VerdictWrong, promotion.VerdictDenied}

// answered reports whether a comment has its last reaction.
func (h *hub) answered(c *said) bool { return h.verdicts(c.id) > 0 }

func (h *hub) verdicts(comment int64) int {
	n := 0
	for _, v := range verdicts {
		if h.reacts[fmt.Sprint(comment, " ", v)] {
			n++
		}
	}
	return n
}

// Copy is the state through its JSON, as a ledger or a store gives it back.
func Copy(s *promotion.State) *promotion.State {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err) // a state can always be written
	}
	var out promotion.State
	if err := json.Unmarshal(raw, &out); err != nil {
		panic(err)
	}
	return &out
}

// write writes the ledger, if what it should say has changed: that an answer was
// sent is no change. The process may die before.
func (s *server) write() {
	now := saying{pipeline: s.state.Pipelines[pipelineName], beside: s.state.Pipelines[besideName], freeze: s.state.Freeze, problems: len(s.state.Problems)}
	for _, c := range s.state.Comments {
		for _, k := range c.Commands {
			if now.commands++; k.Verdict != "" {
				now.verdicts++
			}
		}
	}
	if now == s.says && !s.state.Local.Suspect || s.state.Local.Rival != nil {
		return
	}
	own := *s.state
	own.Revision++
	own.Local = promotion.Local{}
	former, formerM := s.page.record, s.page.marked
	s.page = page{record: &own, marked: s.rules.marks, former: former, formerM: formerM}
	s.says = now
	noted := *s.state
	noted.Revision, noted.Local.Suspect = own.Revision, false
	s.state = &noted
}

// saying is what makes a ledger differ from the one before.
type saying struct {
	pipeline, beside             *promotion.PipelineState
	freeze                       *promotion.Mark
	problems, commands, verdicts int
}

// read is what the pipeline files hold now.
func (s *server) read() promotion.ConfigRead {
	in := promotion.ConfigRead{SHA: s.tip("main"), Pipelines: map[string]*promotion.Pipeline{}, Tips: map[string]string{}}
	for branch := range s.lines {
		in.Tips[branch] = s.tip(branch)
	}
	if s.beside != nil {
		in.Pipelines[besideName] = s.beside
	}
	switch {
	case s.broken:
		in.Broken = map[string][]promotion.Problem{pipelineName: {{Key: "config", Text: "it cannot be read", File: s.rules.path()}}}
	case s.config != nil:
		in.Pipelines[pipelineName] = s.config
	}
	return in
}

// deliver brings an event to the server, as the worker does: a push that may have
// changed the config, or that does not continue what is known, has it read anew.
func (s *server) deliver(d delivery) {
	if c, ok := d.event.Body.(promotion.Commented); ok {
		s.rules.arrives(c)
	}
	push, ok := d.event.Body.(promotion.Pushed)
	if ok && push.Branch == "main" && (!push.Follows(s.state.Local.Tips["main"]) || s.state.Local.Rewound(push, d.event.At) || push.Forced || touchesConfig(push)) {
		s.take(s.read(), d.event)
		return
	}
	s.take(d.event)
}

func touchesConfig(push promotion.Pushed) bool {
	return slices.ContainsFunc(push.Commits, func(c promotion.PushedCommit) bool { return slices.ContainsFunc(c.Paths, promotion.IsConfigPath) })
}

// take gives inputs to the core and runs what follows. Some of it may still be
// under way when it returns, where luck has it so.
func (s *server) take(inputs ...promotion.Input) {
	s.advance(inputs...)
	for range 2000 {
		if s.broke != "" {
			return
		}
		if len(s.answer) > 0 && !s.luck.one(4) {
			s.hear()
			continue
		}
		e, ok := s.next()
		switch {
		case !ok && len(s.answer) == 0, !ok && s.luck.one(3), s.luck.one(60):
			return
		case !ok:
			s.hear()
		default:
			s.run(e)
		}
	}
	s.fail("promise 10: the effects never end")
}

// hear gives the core one of the answers that have come.
func (s *server) hear() {
	i := s.luck.draw(len(s.answer))
	r := s.answer[i]
	s.answer = slices.Delete(s.answer, i, i+1)
	delete(s.flying, r.Effect)
	s.advance(r)
}

// next is the effect to run next. Late ones wait for the ledger, and that for
// everything else.
func (s *server) next() (promotion.Effect, bool) {
	var now, rest, late []promotion.Effect
	for _, e := range s.due {
		switch {
		case s.flying[e.ID]:
		case e.AtRest:
			rest = append(rest, e)
		case e.Late:
			late = append(late, e)
		default:
			now = append(now, e)
		}
	}
	if len(now) > 0 {
		return now[s.luck.draw(len(now))], true
	}
	if len(s.answer) > 0 || len(s.flying) > 0 {
		return promotion.Effect{}, false
	}
	if len(rest) > 0 {
		return rest[s.luck.draw(len(rest))], true
	}
	s.write()
	if len(late) > 0 {
		return late[s.luck.draw(len(late))], true
	}
	return promotion.Effect{}, false
}

// sleep lets time pass, waking the core when it wants to be.
func (s *server) sleep(d time.Duration) {
	end := s.now.Add(d)
	for range 2000 {
		if s.broke != "" || s.wake.IsZero() || s.wake.After(end) {
			s.now = end
			s.rules.time()
			return
		}
		if s.wake.After(s.now) {
			s.now = s.wake
		}
		s.take(promotion.Event{Repo: repo, Body: promotion.Woke{}})
	}
	s.fail("promise 10: it wakes again and again")
}

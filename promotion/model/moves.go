package model

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// people are those who act: octocat and monalisa may write, monalisa is in the
// team sre, hubot may read and is named among the approvers, ghost may nothing.
var people = []string{"octocat", "monalisa", "octocat", "monalisa", "hubot", "ghost"}

// moves are what can happen, the frequent ones more than once. The first is what
// the zero Move does.
var moves = []func(*server, Move){
	(*server).pushApp, (*server).pushApp, (*server).pushApp, (*server).pushOther,
	(*server).say1, (*server).say1, (*server).say1, (*server).say1, (*server).say1, (*server).say1,
	(*server).mergePull, (*server).mergePull, (*server).closePullByHand, (*server).pushToPull, (*server).deleteHead,
	(*server).check, (*server).check, (*server).check, (*server).check, (*server).review,
	(*server).wait, (*server).wait, (*server).wait, (*server).wait, (*server).changeConfig,
	(*server).crash, (*server).deliverLate, (*server).deliverLate, (*server).deliverAgain, (*server).press,
	(*server).forceBack, (*server).changeRole, (*server).tamper,
}

func (s *server) move(m Move) { moves[int(m.Op)%len(moves)](s, m) }

func who(m Move) string { return people[int(m.Who)%len(people)] }

// place is the stage that a move speaks of, also one that is not there any more.
func (s *server) place(m Move) string { return stageName(int(m.Where) % s.rules.stages) }

func (s *server) pushApp(m Move) {
	by := people[int(m.Who)%2]
	s.say("%s pushes to app", by)
	s.emit(s.add("main", &commit{sha: hash("app", fmt.Sprint(s.id())), by: by, path: appFile, message: "Change the app"}, by))
}

func (s *server) pushOther(m Move) {
	if m.What%2 == 1 {
		s.touchStage(m)
		return
	}
	if s.beside != nil && m.What%4 == 2 {
		s.publish()
		return
	}
	by := people[int(m.Who)%2]
	s.say("%s pushes to docs", by)
	s.emit(s.add("main", &commit{sha: hash("docs", fmt.Sprint(s.id())), by: by, path: "docs/README.md", message: "Write"}, by))
}

// command makes the words of a command.
func (s *server) command(m Move) []string {
	stage, freight := s.place(m), s.someFreight(m.Who)
	switch m.What % 24 {
	case 3:
		if s.beside != nil {
			return []string{"promote", besideName + "/b"}
		}
		return []string{"promote", stage}
	case 0, 1, 2:
		return []string{"promote", stage}
	case 4, 5:
		return []string{"promote", stage, freight}
	case 6:
		return []string{"promote", stage, freight, "--now", "--reason", "haste"}
	case 7, 8, 9, 10:
		return []string{"approve", stage}
	case 11:
		return []string{"reject", stage, "no"}
	case 12:
		return []string{"abort", stage}
	case 13, 14:
		return []string{"retry", stage}
	case 15:
		return []string{"freeze", stage, "--for", "1h"}
	case 16:
		return []string{"freeze", "all"}
	case 17:
		return []string{"unfreeze", stage}
	case 18:
		return []string{"unfreeze", "all"}
	case 19:
		return []string{"rollback", stage}
	case 20:
		return []string{"rollback", stage, freight}
	case 21:
		return []string{"resume", stage}
	case 22:
		return []string{"block", freight, "leaks"}
	}
	return []string{"unblock", freight}
}

// someFreight is the start of the hash of a recent commit.
func (s *server) someFreight(b byte) string {
	line := s.lines["main"]
	for i := range len(line) {
		if c := line[(len(line)-1-int(b)%3-i+2*len(line))%len(line)]; c.path == appFile {
			return c.sha[:10]
		}
	}
	return "1.2.3"
}

func (s *server) say1(m Move) {
	words := s.command(m)
	c := &said{id: s.id(), by: who(m), at: s.now, number: issue, heads: map[int]string{}}
	if p := s.openPull(m.Where); p != nil && m.Where >= 128 && slices.Contains([]string{"approve", "reject", "abort"}, words[0]) {
		c.number, words = p.number, words[:1]
	}
	for _, p := range s.pulls {
		c.heads[p.number] = p.head
	}
	c.cmds = []promotion.Command{{Line: 1, Name: words[0], Args: words[1:]}}
	if m.What >= 230 {
		c.cmds = append(c.cmds, promotion.Command{Line: 2, Name: "promote", Args: []string{s.place(m)}})
	}
	s.say("%s comments on #%d: /%s%s", c.by, c.number, strings.Join(words, " "), strings.Repeat(" and /promote", len(c.cmds)-1))
	c.event = s.event(promotion.Commented{Comment: c.id, Number: c.number, PullRequest: c.number != issue, By: c.by, ByID: 1, Commands: c.cmds})
	s.hub.said = append(s.hub.said, c)
	s.emit(c.event)
}

func (s *server) mergePull(m Move) {
	if p := s.openPull(m.Where); p != nil && !s.dirty(p) {
		s.say("%s merges #%d of %s", who(m), p.number, p.promotion)
		s.rules.byHand(p)
		for _, e := range s.merge(p, who(m), m.What%8 == 1) {
			s.emit(e)
		}
	}
}

func (s *server) closePullByHand(m Move) {
	if p := s.openPull(m.Where); p != nil {
		s.say("%s closes #%d of %s", who(m), p.number, p.promotion)
		p.state = "closed"
		s.emit(s.changed(p, "closed", who(m)))
	}
}

func (s *server) pushToPull(m Move) {
	p := s.openPull(m.Where)
	if p == nil || s.heads[p.branch] == nil {
		return
	}
	s.say("%s pushes to #%d of %s", who(m), p.number, p.promotion)
	c := &commit{sha: hash("hand", fmt.Sprint(s.id())), by: who(m), on: s.heads[p.branch]}
	if s.madeOn[c.sha] = s.madeOn[p.head]; m.What%2 == 1 { // what conflicts is resolved in it
		s.madeOn[c.sha] = s.tip(p.base)
	}
	s.heads[p.branch], p.head, p.headAt = c, c.sha, s.now
	p.pushers = append(p.pushers, c.by)
	s.emit(s.changed(p, "synchronize", c.by))
}

func (s *server) deleteHead(m Move) {
	if p := s.openPull(m.Where); p != nil {
		s.say("%s deletes the branch of %s", who(m), p.promotion)
		for _, e := range s.closeOf(p.branch, who(m)) {
			s.emit(e)
		}
	}
}

// check lets somebody's check say something of what a stage holds.
func (s *server) check(m Move) {
	stage := s.place(m)
	landed := s.landed[stage]
	if len(landed) == 0 {
		return
	}
	sha := landed[len(landed)-1].sha
	if m.Who%4 == 3 {
		sha = s.tip(s.rules.branch(stage))
	}
	name := []string{"argocd/web", "argocd/web", "e2e", "lint"}[m.What/8%4]
	verdict := []string{"success", "success", "success", "neutral", "failure", "failure", ""}[m.What%8%7]
	s.say("%s is %q on %s, which %s holds", name, verdict, sha[:7], stage)
	k := promotion.CheckChanged{SHA: sha, Name: name, App: 9, ID: s.id(), Conclusion: verdict, At: s.now}
	s.others[sha] = append(s.others[sha], checkAt{k, s.now})
	s.emit(s.event(k))
}

func (s *server) review(m Move) {
	p := s.openPull(m.Where)
	if p == nil {
		return
	}
	r := &review{id: s.id(), by: who(m), head: p.head, state: "approved", at: s.now}
	if i := slices.IndexFunc(p.reviews, func(r *review) bool { return r.state == "approved" }); m.What%3 == 2 && i >= 0 {
		r = p.reviews[i]
		r.state = "dismissed"
	} else {
		p.reviews = append(p.reviews, r)
	}
	s.say("%s's review of #%d is %s", r.by, p.number, r.state)
	s.emit(s.event(p.reviewed(r)))
}

func (p *pull) reviewed(r *review) promotion.Reviewed {
	return promotion.Reviewed{Number: p.number, Review: r.id, State: r.state, SHA: r.head, HeadBranch: p.branch, SameRepo: true, By: r.by, ByID: 1}
}

// reviewsOf is what a look at the reviews of a pull request shows.
func (s *server) reviewsOf(number int) (out promotion.Result) {
	for _, p := range s.pulls {
		for _, r := range p.reviews {
			if p.number == number {
				out.Reviews = append(out.Reviews, promotion.Review{Reviewed: p.reviewed(r), At: r.at})
			}
		}
	}
	return out
}

func (s *server) wait(m Move) {
	d := []time.Duration{time.Minute, 10 * time.Minute, 31 * time.Minute, 2 * time.Hour, 9 * time.Hour}[m.What%5] + time.Duration(m.Who)*333*time.Millisecond
	s.say("%s pass", d)
	s.sleep(d)
}

func (s *server) crash(m Move) {
	switch m.What % 6 {
	case 0, 1, 2:
		s.say("the server dies")
		s.restart()
		s.take(woke())
	case 3, 4:
		s.say("the server loses its disk")
		s.loseDisk(false)
	default:
		s.say("the server loses its disk, and the tracking issue is emptied")
		s.loseDisk(true)
	}
}

func (s *server) deliverLate(m Move) {
	if len(s.later) > 0 {
		i := int(m.Where) % len(s.later)
		d := s.later[i]
		s.later = slices.Delete(s.later, i, i+1)
		s.say("a late delivery comes: %T", d.event.Body)
		s.deliver(d)
	}
}

func (s *server) deliverAgain(m Move) {
	if len(s.sent) > 0 {
		d := s.sent[int(m.Where)%len(s.sent)]
		s.say("a delivery comes once more: %T", d.event.Body)
		s.deliver(d)
	}
}

// press presses a button of the check run of some promotion.
func (s *server) press(m Move) {
	buttons := s.rules.buttons
	if len(buttons) == 0 {
		return
	}
	b := buttons[len(buttons)-1-int(m.Where)%min(4, len(buttons))]
	s.say("%s presses %s of %s on %s", who(m), b.action, b.promotion, b.sha[:7])
	s.emit(s.event(promotion.Pressed{Check: 1, Promotion: b.promotion, Action: b.action, By: who(m), ByID: 1, SHA: b.sha, Writer: b.writer}))
}

// forceBack takes the newest commit off main again, if a person made it.
func (s *server) forceBack(Move) {
	line := s.lines["main"]
	if len(line) < 2 || line[len(line)-1].by == "" || line[len(line)-1].promotion != "" {
		return
	}
	before := s.tip("main")
	s.lines["main"], s.forced = line[:len(line)-1], true
	s.noteDirty()
	s.say("octocat forces main back to %s", s.tip("main")[:7])
	s.emit(s.event(promotion.Pushed{Branch: "main", Before: before, After: s.tip("main"), Forced: true, Pusher: "octocat"}))
}

func (s *server) changeRole(m Move) {
	if s.roles["octocat"] == "write" {
		s.roles["octocat"] = "read"
	} else {
		s.roles["octocat"] = "write"
	}
	s.say("octocat may %s now", s.roles["octocat"])
}

// changeConfig pushes another config: a stage goes or comes back, gates change,
// the file breaks, goes, or is as it was.
func (s *server) changeConfig(m Move) {
	next := s.config
	broken := false
	switch m.What % 8 {
	case 0, 1, 2:
		next = without(s.rules.full, s.place(m))
	case 3, 4:
		next = s.rules.full
	case 5:
		next = regated(s.rules.full, s.place(m))
	case 6:
		broken = true
	case 7:
		next = nil
	}
	s.config, s.broken, s.reshaped = next, broken, true
	s.say("the config changes: %s, broken: %t", told(next), broken)
	s.emit(s.add("main", &commit{sha: hash("config", fmt.Sprint(s.id())), by: "octocat", path: ".github/stagecoach.yml", message: "Change the config"}, "octocat"))
}

// without is the config without a stage.
func without(p *promotion.Pipeline, stage string) *promotion.Pipeline {
	out := *p
	out.Stages = nil
	for _, st := range p.Stages {
		if st.Name == stage {
			continue
		}
		st.After = slices.DeleteFunc(slices.Clone(st.After), func(a string) bool { return a == stage })
		if len(st.After) == 0 {
			st.Gates.Checks = nil
		}
		out.Stages = append(out.Stages, st)
	}
	return &out
}

// regated is the config with an approval asked for in a stage, and its window gone.
func regated(p *promotion.Pipeline, stage string) *promotion.Pipeline {
	out := *p
	out.Stages = slices.Clone(p.Stages)
	if st := out.Stage(stage); st != nil {
		st.Gates.Approvals, st.Gates.Windows = &promotion.Approvals{ExcludeRequester: true}, nil
	}
	return &out
}

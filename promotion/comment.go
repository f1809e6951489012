package promotion

import (
	"slices"
	"strings"
	"time"
)

// takeComment remembers a comment's commands, once, and lets it be judged who
// wrote them.
func (c *core) takeComment(e Commented, at time.Time) {
	if len(e.Commands) == 0 || !c.listens(e) {
		return
	}
	if slices.ContainsFunc(c.state.Comments, func(s *CommentState) bool { return s.Comment == e.Comment }) {
		return
	}
	meant := func(cmd Command) bool { return c.means(e, cmd) }
	if slices.ContainsFunc(e.Commands, func(cmd Command) bool { return !meant(cmd) }) && c.keepEarly(Early{At: at, Comment: &e}) {
		return // it may stand on a promotion's pull request
	}
	s := &CommentState{Comment: e.Comment, Number: e.Number, By: e.By, At: c.when(at)}
	s.Look = !s.At.After(c.state.Local.Rebuilt) // GitHub's times are whole seconds
	for _, cmd := range e.Commands {
		if c.means(e, cmd) {
			cmd.Args = bounded(cmd.Args)
			s.Commands = append(s.Commands, CommandState{Command: cmd})
		}
	}
	if len(s.Commands) == 0 {
		return
	}
	c.state.Comments = append(c.state.Comments, s)
	c.effect(Effect{ID: reactID(s.Comment, VerdictSeen), Kind: KindReact, Comment: s.Comment, Text: string(VerdictSeen), Earlier: s.Look})
}

// doubtful reports whether it is still being found out if an earlier life saw a
// comment: GitHub tells with the answer to our 👀.
func (c *core) doubtful(s *CommentState) bool { return s.Look && c.greeting(s) || c.pressDoubtful(s) }

// greeting reports whether a comment has not got its 👀 yet. No verdict goes before
// it, so that an answered comment is known by it.
func (c *core) greeting(s *CommentState) bool {
	return s.Comment != 0 && c.state.Local.Pending[reactID(s.Comment, VerdictSeen)] != nil
}

// seenBefore takes whether an earlier life saw a comment: if it was answered, it was
// carried out. One of the second in which the store was found empty, and that was
// not seen, is new: no life ends and begins within a second.
func (c *core) seenBefore(e *Effect, r Result) {
	i := slices.IndexFunc(c.state.Comments, func(k *CommentState) bool { return k.Comment == e.Comment })
	if !e.Earlier || i < 0 || c.state.Comments[i].Done {
		return
	}
	own := *c.state.Comments[i]
	own.Look = r.Before || own.At.Before(c.state.Local.Rebuilt.Truncate(time.Second))
	if r.Verdict != "" {
		own.Commands = slices.Clone(own.Commands)
		for k := range own.Commands {
			own.Commands[k].Verdict = r.Verdict
		}
		own = *own.answered()
	}
	c.state.Comments[i] = &own
}

func (c *core) when(at time.Time) time.Time {
	if at.IsZero() {
		return c.now
	}
	return at.UTC()
}

// listens reports whether commands are taken there: on the tracking issue, on a
// promotion's pull request, on one that changes pipeline files for /plan, and on any
// other pull request for /promote. While the tracking issue is being made any issue
// may be it: its number is not known before the answer, which may be lost.
func (c *core) listens(e Commented) bool {
	if len(c.state.Local.Config) == 0 && len(c.state.Pipelines) == 0 {
		return false
	}
	making := c.state.Issue == 0 && !c.state.Local.Creating.IsZero()
	return e.PullRequest || e.Number == c.state.Issue || making
}

// means reports whether a command is meant for us: on pull requests that are no
// promotion's, others have a /retry or /help of their own.
func (c *core) means(e Commented, cmd Command) bool {
	_, changesConfig := c.state.Local.ConfigPulls[e.Number]
	return !e.PullRequest || cmd.Name == "promote" || cmd.Name == "plan" && changesConfig || c.byPullRequest(e.Number) != nil
}

// How much of a command is remembered. Anybody may comment on a public
// repository, and nothing that makes sense is longer.
const (
	mostWords  = 100
	longestArg = 200 // bytes
)

func bounded(words []string) []string {
	out := slices.Clone(words[:min(len(words), mostWords)])
	for i, w := range out {
		if len(w) > longestArg {
			out[i] = strings.ToValidUTF8(w[:longestArg], "")
		}
	}
	return out
}

// answerComments drives every comment to its last reaction. It derives what is
// missing from the state alone, so a restart loses nothing.
func (c *core) answerComments() {
	for i, s := range c.state.Comments {
		if s.Unread && !c.wanted(s) {
			c.finishComment(i)
			continue
		}
		if s.Done || s.Unread || !s.judged() && (c.doubtful(s) || c.waking()) {
			continue
		}
		if !s.judged() {
			if c.seeking(s) || c.planning(s) {
				continue
			}
			if !c.turnAway(s) {
				c.askPermission(s)
				continue
			}
			s = c.state.Comments[i]
		}
		switch {
		case s.Comment == 0:
			c.answerTick(i)
		case !c.greeting(s):
			c.answer(s)
		}
	}
}

// waking reports whether it is still being found out what there is: what an earlier
// life did, and the first artifact of a source. A command that cannot be carried out
// for the lack of that would be wrongly refused. Where the first try fails it is.
func (c *core) waking() bool {
	if c.adopting() {
		return true
	}
	for _, e := range c.state.Local.Pending {
		if e.Kind == KindSource && e.Version == "" && e.Error == "" && c.known(e.Pipeline, e.Source) == nil {
			return true
		}
	}
	return false
}

// wanted reports whether the promotion that a review speaks of has not ended.
func (c *core) wanted(s *CommentState) bool {
	p := c.promotion(s.Commands[0].Args[0])
	return p != nil && !p.Phase.Terminal()
}

// rejudge has reviews judged again whose author's teams could not be read.
func (c *core) rejudge() {
	for i, s := range c.state.Comments {
		if s.Unread {
			again := *s
			again.Unread = false
			c.state.Comments[i] = &again
		}
	}
}

// judged reports whether every command has its verdict.
func (s *CommentState) judged() bool {
	return !slices.ContainsFunc(s.Commands, func(k CommandState) bool { return k.Verdict == "" })
}

// askPermission asks what somebody may do, and whether they are in the teams that
// their commands are meant for.
func (c *core) askPermission(s *CommentState) {
	e := Effect{ID: "permission/" + strings.ToLower(s.By), Kind: KindPermission, Login: s.By, Teams: c.teamsFor(s)}
	if len(e.Teams) > 0 {
		e.ID += "/" + strings.Join(e.Teams, ",")
	}
	c.effect(e)
}

// unjudged answers the commands of somebody whose permission could not be read.
func (c *core) unjudged(e *Effect) {
	c.verdicts(e, func(*CommentState, Command) (Verdict, string) {
		return VerdictWrong, sentence("What %s may do here could not be read from GitHub, so nothing was done. Write it once more.", at(e.Login))
	})
}

// judge carries out the commands of somebody whose permission was just read.
func (c *core) judge(e *Effect, r Result) {
	c.rememberStranger(e, r)
	c.verdicts(e, func(s *CommentState, cmd Command) (Verdict, string) {
		verdict, answer := c.carryOut(s, cmd, r)
		s.Unread = s.Review != 0 && r.TeamsUnread != "" && verdict == VerdictDenied
		if s.Unread { // nobody writes a review once more, as one can a comment
			return "", ""
		}
		return verdict, answer
	})
}

// verdicts gives every command of somebody that has none yet its verdict, unless
// it is meant for teams that were not asked about.
func (c *core) verdicts(e *Effect, of func(*CommentState, Command) (Verdict, string)) {
	for i, s := range c.state.Comments {
		if s.Done || s.judged() || !strings.EqualFold(s.By, e.Login) || !within(c.teamsFor(s), e.Teams) {
			continue
		}
		own := *s
		own.Commands = slices.Clone(s.Commands)
		for k := range own.Commands {
			if own.Commands[k].Verdict == "" {
				own.Commands[k].Verdict, own.Commands[k].Answer = of(&own, own.Commands[k].Command)
			}
		}
		c.state.Comments[i] = &own
	}
}

func within(some, all []string) bool {
	return !slices.ContainsFunc(some, func(t string) bool { return !slices.Contains(all, t) })
}

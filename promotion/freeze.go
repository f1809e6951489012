package promotion

import (
	"strconv"
	"strings"
	"time"
)

// everything is the word for all stages.
const everything = "all"

// freeze stops new promotions and merges in a stage, or in all.
func (c *core) freeze(s *CommentState, cmd Command, r Result) (Verdict, string) {
	a, wrong := parseFreeze(cmd.Args)
	if wrong != "" {
		return VerdictWrong, wrong
	}
	stages, wrong := c.stagesNamed(a.stage, "freeze")
	if wrong != "" {
		return VerdictWrong, wrong
	}
	if denied := c.deniedAll(s, cmd, r, stages); denied != "" {
		return VerdictDenied, denied
	}
	c.setFreeze(s, a, stages)
	return VerdictDone, ""
}

func (c *core) setFreeze(s *CommentState, a freezeArgs, stages []staged) {
	mark := &Mark{By: s.By, At: s.At, Reason: a.reason}
	if a.lasts > 0 {
		mark.Until = wholeSecond(s.At.Add(a.lasts))
	}
	if a.stage == everything {
		c.state.Freeze = mark
		c.touchAll()
		return
	}
	for _, each := range stages {
		c.stage(each.p.Name, each.stage.Name).Freeze = mark
	}
}

// unfreeze lifts a freeze; of all, also those of single stages.
func (c *core) unfreeze(s *CommentState, cmd Command, r Result) (Verdict, string) {
	word := ""
	if len(cmd.Args) > 0 {
		word = cmd.Args[0]
	}
	stages, wrong := c.stagesNamed(word, "unfreeze")
	if wrong != "" {
		return VerdictWrong, wrong
	}
	if denied := c.deniedAll(s, cmd, r, stages); denied != "" {
		return VerdictDenied, denied
	}
	lifted := c.liftFreeze(word, stages)
	switch {
	case word != everything && c.state.Freeze != nil:
		return VerdictWrong, sentence("All stages are frozen%s. `/unfreeze all` lifts that.", plain(c.state.Freeze.told()))
	case !lifted:
		return VerdictDone, sentence("%s is not frozen.", plain(word))
	}
	return VerdictDone, ""
}

func (c *core) liftFreeze(word string, stages []staged) (lifted bool) {
	if word == everything && c.state.Freeze != nil {
		c.state.Freeze, lifted = nil, true
	}
	for _, each := range stages {
		if c.state.stageOf(each.p.Name, each.stage.Name).Freeze != nil {
			c.stage(each.p.Name, each.stage.Name).Freeze, lifted = nil, true
		}
	}
	c.touchAll()
	return lifted
}

// deniedAll is denied for commands that may be meant for all stages. Where none is
// known, because the config cannot be read, nobody may who could not write it.
func (c *core) deniedAll(s *CommentState, cmd Command, r Result, stages []staged) string {
	if len(stages) == 0 {
		return deniedHere(s, cmd, r)
	}
	return c.denied(s, cmd, r, stages)
}

// stagesNamed are the stages that a word names: one, or all.
func (c *core) stagesNamed(word, command string) ([]staged, string) {
	switch word {
	case everything:
		return c.allStages(), ""
	case "":
		return nil, sentence("Say which stage: `/%s STAGE` or `/%s all`. Stages: %s.", command, command, strings.Join(c.stageNames(), ", "))
	}
	p, stage, wrong := c.findStage(word)
	if wrong != "" {
		return nil, wrong
	}
	return []staged{{p, stage}}, ""
}

type freezeArgs struct {
	stage, reason string
	lasts         time.Duration // 0: until somebody lifts it
}

func parseFreeze(words []string) (a freezeArgs, wrong string) {
	var reason []string
	for i := 0; i < len(words); i++ {
		w := words[i]
		value, inline := strings.CutPrefix(w, "--for=")
		switch {
		case w == "--for" && i+1 < len(words):
			i++
			value, inline = words[i], true
		case w == "--for":
			return a, "`--for` needs a time, as in `--for 4h`."
		case !inline && strings.HasPrefix(w, "--"):
			return a, sentence("`/freeze` has no option `%s`. It has `--for 4h`.", plain(w))
		}
		switch {
		case inline:
			lasts, ok := ParseSpan(value)
			if !ok || lasts <= 0 {
				return a, sentence("`%s` is no time. Write it like `30m`, `4h` or `2d`.", plain(value))
			}
			a.lasts = lasts
		case a.stage == "":
			a.stage = w
		default:
			reason = append(reason, w)
		}
	}
	a.reason = strings.Join(reason, " ")
	return a, ""
}

// ParseSpan reads a duration as people write it: Go's forms (1h30m, 90s), and
// days before them (2d, 1d12h). It is false for anything else, and for more than
// ten years.
func ParseSpan(text string) (time.Duration, bool) {
	days := 0
	if before, rest, ok := strings.Cut(text, "d"); ok {
		n, err := strconv.Atoi(before)
		if err != nil || n < 0 || n > 3650 {
			return 0, false
		}
		if days, text = n, rest; text == "" {
			return time.Duration(days) * 24 * time.Hour, true
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > 3650*24*time.Hour {
		return 0, false
	}
	return time.Duration(days)*24*time.Hour + d, true
}

// thaw lifts the freeze of all stages when its time is over.
func (c *core) thaw() {
	if c.state.Freeze.over(c.now) {
		c.state.Freeze = nil
		c.touchAll()
	}
}

// thawStage lifts the freeze of a stage when its time is over.
func (c *core) thawStage(pipeline, stage string) {
	if c.state.stageOf(pipeline, stage).Freeze.over(c.now) {
		c.stage(pipeline, stage).Freeze = nil
	}
	c.at(pipeline, stage, c.freezeEnd(pipeline, stage))
}

// over reports whether a mark's time is over.
func (m *Mark) over(now time.Time) bool { return m != nil && !m.Until.IsZero() && !m.Until.After(now) }

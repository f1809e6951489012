package promotion

import (
	"cmp"
	"slices"
	"time"
)

// Said is a comment with commands that an earlier life took, as KindAdopt finds it where
// there is no ledger.
type Said struct {
	Commented
	At       time.Time
	Verdicts []Verdict // our last reactions to it; none: it was seen, and is not answered
}

// accepted reports whether every line of it was carried out. Of a comment that got both
// kinds of answers nobody can tell which line got which.
func (s Said) accepted() bool {
	return len(s.Verdicts) > 0 && !slices.ContainsFunc(s.Verdicts, func(v Verdict) bool { return !v.yes() })
}

// recallSaid takes up what people said, now that what landed and what is under way is
// known: what was carried out and lasts is so again, and what is owed is answered. What
// may not be promoted is not, whatever was lost. Only freight that is known again can be
// blocked again.
func (c *core) recallSaid() {
	said := c.state.Local.Said
	c.state.Local.Said = nil
	slices.SortStableFunc(said, func(a, b Said) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Comment, b.Comment)) })
	back := &wayBack{core: c, said: map[string][]turning{}, causes: map[string]*Mark{}}
	for _, s := range said {
		if s.accepted() {
			for _, cmd := range s.Commands {
				c.recallMark(s, cmd, back)
			}
		}
	}
	back.recall()
	c.sayUntraced(back.asked)
	for _, s := range said {
		if len(s.Verdicts) == 0 {
			c.takeComment(s.Commented, s.At)
		}
	}
}

// recallMark takes up one command that was carried out, if what it did lasts. Who might
// give it was judged then.
func (c *core) recallMark(s Said, cmd Command, back *wayBack) {
	word := ""
	if len(cmd.Args) > 0 {
		word = cmd.Args[0]
	}
	by := &CommentState{Comment: s.Comment, By: s.By, At: s.At.UTC()}
	switch cmd.Name {
	case "freeze":
		a, wrong := parseFreeze(cmd.Args)
		if stages, unknown := c.stagesNamed(a.stage, cmd.Name); wrong+unknown == "" {
			c.setFreeze(by, a, stages)
		}
	case "unfreeze":
		if stages, unknown := c.stagesNamed(word, cmd.Name); unknown == "" {
			c.liftFreeze(word, stages)
		}
	case "block":
		for _, name := range sortedKeys(c.state.Pipelines) {
			for _, f := range slices.Clone(c.state.Pipelines[name].Freight) {
				if word != "" && c.namedIn(name, word, f) {
					c.blockIn(name, f.ID, blockMark(by, cmd))
				}
			}
		}
	case "unblock":
		if word != "" {
			c.liftBlock(word)
		}
	case "rollback", "resume", "promote":
		back.take(s, cmd)
	}
}

// untracedFor is how long ago something may have been asked for that is said to have left
// no trace: later on nobody waits for it.
const untracedFor = 8 * 24 * time.Hour

// asked is a promotion that somebody asked for.
type asked struct {
	by, command, cause string
	at                 time.Time
}

// sayUntraced says what was asked for and left no trace on GitHub. It may have waited in
// a queue, and it may have ended: nobody can tell, so a person decides whether it is still
// wanted, and nothing that is days old goes to production by itself.
func (c *core) sayUntraced(all []asked) {
	spent := map[string]bool{}
	for _, ps := range c.state.Pipelines {
		for _, p := range ps.Promotions {
			if named, ok := ParseName(p.Name); ok {
				spent[named.Cause] = true
			}
		}
		for _, st := range ps.Stages {
			for _, l := range st.Before {
				if named, ok := ParseName(l.Promotion); ok {
					spent[named.Cause] = true
				}
			}
		}
	}
	var lost []string
	for _, a := range all {
		if !spent[a.cause] && !c.state.Local.Spent[a.cause] && a.at.After(c.now.Add(-untracedFor)) {
			lost = append(lost, sentence("`%s` of %s at %s", plain(a.command), plain(a.by), clockOf(a.at, c.now)))
		}
	}
	if len(lost) > 0 {
		c.problem(Problem{Key: "ledger/untraced", Text: "What these commands asked for left no trace, and perhaps never began. Write again what is still wanted: " + someOf(lost) + "."})
	}
}

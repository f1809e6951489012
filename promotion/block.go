package promotion

import (
	"maps"
	"slices"
	"strings"
)

// blockMemory bounds how many blocks a pipeline remembers.
const blockMemory = 200

// block lets nobody promote freight any more. What waits of it in a queue ends;
// a pull request of it stays open, with its gate closed.
func (c *core) block(s *CommentState, cmd Command, r Result) (Verdict, string) {
	if denied := deniedHere(s, cmd, r); denied != "" {
		return VerdictDenied, denied
	}
	if len(cmd.Args) == 0 {
		return VerdictWrong, "Say which freight: `/block FREIGHT [REASON]`."
	}
	pipelines, f, wrong := c.findAnyFreight(cmd.Args[0])
	if wrong != "" {
		return VerdictWrong, wrong
	}
	mark := &Mark{By: s.By, At: s.At, Reason: strings.Join(cmd.Args[1:], " ")}
	for _, name := range pipelines {
		c.blockIn(name, f.ID, mark)
	}
	return VerdictDone, ""
}

func (c *core) blockIn(pipeline, freight string, mark *Mark) {
	ps := c.pipe(pipeline)
	ps.Blocked = cloneMap(ps.Blocked)
	ps.Blocked[freight] = mark
	for len(ps.Blocked) > blockMemory {
		delete(ps.Blocked, oldestMark(ps.Blocked))
	}
	if p := c.state.Local.Config[pipeline]; p != nil {
		for i := range p.Stages {
			c.stage(pipeline, p.Stages[i].Name).Tried[freight] = true // nothing starts by itself when it is lifted
		}
	}
	for _, pr := range slices.Clone(ps.Promotions) {
		if pr.Freight == freight && pr.Phase == PhaseQueued {
			c.finish(c.own(pr), PhaseRejected, "Blocked"+mark.told())
		}
	}
	c.touch(pipeline)
}

func oldestMark(marks map[string]*Mark) string {
	keys := slices.SortedFunc(maps.Keys(marks), func(a, b string) int {
		if d := marks[a].At.Compare(marks[b].At); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return keys[0]
}

// unblock lifts a block. Nothing starts by it.
func (c *core) unblockFreight(s *CommentState, cmd Command, r Result) (Verdict, string) {
	if denied := deniedHere(s, cmd, r); denied != "" {
		return VerdictDenied, denied
	}
	if len(cmd.Args) == 0 {
		return VerdictWrong, "Say which freight: `/unblock FREIGHT`."
	}
	lifted := false
	for name, ps := range c.state.Pipelines {
		for id := range ps.Blocked {
			f := c.state.FreightByID(name, id)
			if f == nil && len(cmd.Args[0]) >= 4 && strings.HasPrefix(id, strings.ToLower(cmd.Args[0])) || f != nil && f.Matches(cmd.Args[0]) {
				own := c.pipe(name)
				own.Blocked = cloneMap(own.Blocked)
				delete(own.Blocked, id)
				lifted = true
				c.touch(name)
			}
		}
	}
	if !lifted {
		return VerdictWrong, sentence("%s is not blocked.%s", plain(cmd.Args[0]), c.blockedText())
	}
	return VerdictDone, ""
}

// blockedText lists what is blocked.
func (c *core) blockedText() string {
	var out []string
	for _, name := range sortedKeys(c.state.Pipelines) {
		for _, id := range sortedKeys(c.state.Pipelines[name].Blocked) {
			if f := c.state.FreightByID(name, id); f != nil {
				out = append(out, sentence("%s (`%s`)", f.Title(), f.Alias()))
			} else {
				out = append(out, "`"+short(id)+"`")
			}
		}
	}
	if len(out) == 0 {
		return " Nothing is."
	}
	return " Blocked: " + strings.Join(out[:min(len(out), 10)], ", ") + "."
}

// findAnyFreight finds freight of any pipeline: pipelines may share it.
func (c *core) findAnyFreight(word string) (pipelines []string, f *Freight, wrong string) {
	var hits, all []*Freight
	for _, name := range sortedKeys(c.state.Pipelines) {
		all = append(all, c.state.Pipelines[name].Freight...)
		for _, each := range c.state.Pipelines[name].Freight {
			if !each.Matches(word) {
				continue
			}
			if !slices.ContainsFunc(hits, func(h *Freight) bool { return h.ID == each.ID }) {
				hits = append(hits, each)
			}
			pipelines = append(pipelines, name)
		}
	}
	switch len(hits) {
	case 1:
		return pipelines, hits[0], ""
	case 0:
		return nil, nil, sentence("%s is not known here. Newest: %s.", plain(word), strings.Join(newest(all, 3), ", "))
	}
	return nil, nil, sentence("%s fits several: %s. Write more of it.", plain(word), strings.Join(newest(hits, 5), ", "))
}

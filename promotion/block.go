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
	pipelines, f, wrong, asked := c.anyFreight(cmd.Args[0])
	switch {
	case asked:
		return "", "" // it is judged when the sources have answered
	case wrong != "":
		return VerdictWrong, wrong
	}
	for _, name := range pipelines {
		c.blockIn(name, f.ID, blockMark(s, cmd))
	}
	if f.Number == 0 && len(f.Artifacts) > 1 {
		return VerdictDone, sentence("%s (`%s`) is blocked. With other versions of its other sources it is other freight, which is not.", f.named(), f.Alias())
	}
	return VerdictDone, ""
}

func blockMark(s *CommentState, cmd Command) *Mark {
	return &Mark{By: s.By, At: s.At, Reason: strings.Join(cmd.Args[1:], " ")}
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
	c.touchPipeline(pipeline)
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
	if !c.liftBlock(cmd.Args[0]) {
		return VerdictWrong, sentence("%s is not blocked.%s", plain(cmd.Args[0]), c.blockedText())
	}
	return VerdictDone, ""
}

func (c *core) liftBlock(word string) (lifted bool) {
	for name, ps := range c.state.Pipelines {
		for id := range ps.Blocked {
			f := c.state.FreightByID(name, id)
			if f == nil && len(word) >= 4 && strings.HasPrefix(id, strings.ToLower(word)) || f != nil && f.Matches(word) {
				own := c.pipe(name)
				own.Blocked = cloneMap(own.Blocked)
				delete(own.Blocked, id)
				lifted = true
				c.touchPipeline(name)
			}
		}
	}
	return lifted
}

// blockedText lists what is blocked.
func (c *core) blockedText() string {
	var out []string
	for _, name := range sortedKeys(c.state.Pipelines) {
		for _, id := range sortedKeys(c.state.Pipelines[name].Blocked) {
			if f := c.state.FreightByID(name, id); f != nil {
				out = append(out, sentence("%s (`%s`)", f.named(), f.Alias()))
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

// anyFreight finds freight of any pipeline: pipelines may share it. What is known in
// none is looked for further, see freightFor; asked means that sources are being asked.
func (c *core) anyFreight(word string) (pipelines []string, f *Freight, wrong string, asked bool) {
	var found freightFound
	for _, name := range sortedKeys(c.state.Pipelines) {
		for _, each := range c.state.Pipelines[name].Freight {
			if c.namedIn(name, word, each) {
				found.add(name, each)
			}
		}
	}
	why := ""
	if len(found.hits) == 0 {
		why, asked = c.anyOlder(word, &found)
	}
	if asked {
		return nil, nil, "", true
	}
	f, wrong = found.one(word, why, c.allFreight())
	return found.pipelines, f, wrong, false
}

// anyOlder looks in every pipeline for freight that is not among the newest. why says
// why a source could not answer.
func (c *core) anyOlder(word string, found *freightFound) (why string, asked bool) {
	for _, name := range sortedKeys(c.state.Local.Config) {
		if c.state.Pipelines[name] == nil {
			continue
		}
		f, wrong, waits := c.older(c.state.Local.Config[name], word)
		if asked = asked || waits; f != nil {
			found.add(name, f)
		} else if wrong != "" {
			why = wrong
		}
	}
	return why, asked
}

// namedIn reports whether a word names a piece of freight of a pipeline.
func (c *core) namedIn(pipeline, word string, f *Freight) bool {
	if p := c.state.Local.Config[pipeline]; p != nil {
		return p.names(word, f)
	}
	return f.Matches(word)
}

func (c *core) allFreight() (all []*Freight) {
	for _, name := range sortedKeys(c.state.Pipelines) {
		all = append(all, c.state.Pipelines[name].Freight...)
	}
	return all
}

// freightFound is the freight that a word names, and the pipelines that have it.
type freightFound struct {
	hits      []*Freight
	pipelines []string
}

func (x *freightFound) add(pipeline string, f *Freight) {
	if !slices.ContainsFunc(x.hits, func(h *Freight) bool { return h.ID == f.ID }) {
		x.hits = append(x.hits, f)
	}
	x.pipelines = append(x.pipelines, pipeline)
}

// one is what was found, if it is one; else it says what is wrong.
func (x *freightFound) one(word, why string, all []*Freight) (*Freight, string) {
	switch {
	case len(x.hits) == 1:
		return x.hits[0], ""
	case len(x.hits) > 1:
		return nil, sentence("%s fits several: %s. Write more of it.", plain(word), strings.Join(newest(x.hits, 5), ", "))
	case why == "":
		why = sentence("%s is not known here.", plain(word))
	}
	return nil, sentence("%s Newest: %s.", why, strings.Join(newest(all, 3), ", "))
}

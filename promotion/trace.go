package promotion

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// adoptFound takes the traces of an earlier life, once the newest freight is known: in
// the order in which they landed, and then the branches, the newest first, since of
// one stage only the promotion that started last can be under way.
func (c *core) adoptFound() {
	if len(c.state.Local.Found)+len(c.state.Local.Said) == 0 || c.pendingKind(KindAdopt) || c.sourceSoon() {
		return
	}
	found := slices.Clone(c.state.Local.Found) // it is put in order
	c.state.Local.Found = nil
	slices.SortFunc(found, func(a, b Found) int {
		if a.Landed && b.Landed {
			return cmp.Or(cmp.Compare(b.Depth, a.Depth), cmp.Compare(a.Promotion, b.Promotion), cmp.Compare(a.Commit, b.Commit))
		}
		return cmp.Or(landedFirst(a, b), cmp.Compare(b.Promotion, a.Promotion), cmp.Compare(a.Commit, b.Commit))
	})
	found = c.readableNow(found)
	c.recall(found)
	held := c.heldAt(found)
	for i, f := range found {
		switch {
		case f.Landed && held.covers(f):
			c.adoptKnown(f)
		case f.Landed && slices.ContainsFunc(found[i+1:], f.sameStage):
			c.heldOnce(f)
		case f.ended():
			c.adoptEnded(f)
		default:
			c.adopt(f)
		}
		c.spend(f)
	}
	c.recallSaid()
	for name := range c.state.Pipelines {
		c.forgetFreight(name)
	}
	c.touchAll()
}

func landedFirst(a, b Found) int {
	switch {
	case a.Landed == b.Landed:
		return 0
	case a.Landed:
		return -1
	}
	return 1
}

// stage is the stage that a trace is of; "": its name is none.
func (f Found) stage() string {
	named, _ := ParseName(f.Promotion)
	return named.Stage
}

// sameStage reports whether another promotion landed in the same stage.
func (f Found) sameStage(o Found) bool {
	return o.Landed && o.Pipeline == f.Pipeline && o.stage() == f.stage() && o.Promotion != f.Promotion
}

// positions are where the commits stand that stages are known to hold, by stage.
type positions map[string]position

type position struct {
	depth int       // in its branch; -1: it is not among what was found
	at    time.Time // when it landed
}

func (f Found) place() string { return f.Pipeline + "/" + f.stage() }

// heldAt finds among the traces what the stages hold by the ledger.
func (c *core) heldAt(found []Found) positions {
	out := positions{}
	for _, f := range found {
		st := c.state.stageOf(f.Pipeline, f.stage())
		if !f.Landed || st.Current == nil {
			continue
		}
		at, known := out[f.place()]
		if !known {
			at = position{-1, st.Current.At}
		}
		if st.Current.Commit == f.Commit {
			at.depth = f.Depth
		}
		out[f.place()] = at
	}
	return out
}

// covers reports whether a landing is not newer than what its stage is known to hold.
// Where that is not among what was found, one that was asked for before it landed was
// known once, and forgotten since.
func (p positions) covers(f Found) bool {
	held, known := p[f.place()]
	if !known {
		return false
	}
	if held.depth >= 0 {
		return f.Depth >= held.depth
	}
	named, _ := ParseName(f.Promotion)
	return !named.At.After(held.at)
}

// adoptKnown takes a landing that the ledger was written after: it can only tell of a
// promotion that is not known to have landed.
func (c *core) adoptKnown(f Found) {
	if c.promotion(f.Promotion) != nil {
		c.adopt(f)
	}
}

// outdated reports whether a promotion that has not landed is older than the one whose
// freight its stage holds: it was known once, and forgotten since.
func (c *core) outdated(f Found, named Named) bool {
	st := c.state.stageOf(f.Pipeline, named.Stage)
	if f.Landed || st.Current == nil {
		return false
	}
	at := st.Current.At
	if holds, ok := ParseName(st.Current.Promotion); ok {
		at = holds.At
	}
	return !named.At.After(at)
}

// knownTrace is what a trace is of: a stage of the config, and freight; false: it is of
// nothing that is known any more.
func (c *core) knownTrace(f Found) (named Named, freight *Freight, ok bool) {
	named, ok = ParseName(f.Promotion)
	if !ok || c.state.Local.Config[f.Pipeline].Stage(named.Stage) == nil {
		return named, nil, false
	}
	freight = c.freightOf(f, named)
	return named, freight, freight != nil
}

func (c *core) freightOf(f Found, named Named) *Freight {
	for _, fr := range c.state.Pipelines[f.Pipeline].Freight {
		if fr.ID == f.Freight || f.Freight == "" && strings.HasPrefix(fr.ID, named.Freight) {
			return fr
		}
	}
	return nil
}

// adopted queues the promotion under the name that GitHub knows it by.
func (c *core) adopted(f Found, named Named, freight *Freight) *Promotion {
	cause, automatic := c.noteCause(f, named, freight)
	p := &Promotion{
		Name: f.Promotion, Pipeline: f.Pipeline, Stage: named.Stage, Freight: freight.ID, Phase: PhaseQueued,
		Automatic: automatic, RequestedBy: f.RequestedBy, Cause: cause, CreatedAt: named.At, Look: true,
	}
	ps := c.pipe(f.Pipeline)
	ps.Promotions = append(ps.Promotions, p)
	c.ownProm[p] = true
	c.touchOf(p)
	return p
}

// noteCause remembers that what made a promotion was carried out, and tells what it
// was: freight that promotes itself does so once.
func (c *core) noteCause(f Found, named Named, freight *Freight) (cause string, automatic bool) {
	cause = "freight/" + freight.ID + "/" + StageRef(f.Pipeline, named.Stage)
	if causePart(cause) != named.Cause {
		return "adopted/" + f.Promotion, false
	}
	c.stage(f.Pipeline, named.Stage).Tried[freight.ID] = true
	return cause, true
}

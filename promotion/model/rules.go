package model

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// rules is the reference: it follows what the hub holds and what the server was
// told, and judges each decision of the core by it.
type rules struct {
	*server
	full   *promotion.Pipeline // the config of the schedule
	config *promotion.Pipeline // as the core was told last; nil: none, or gone
	ill    bool                // what it was told last could not be read
	stages int
	marks
	known     map[string]*promotion.Promotion // as of the last decision
	judged    map[judgedKey]bool
	reads     map[string]promotion.Result // login → what a look at their permission gave
	heard     map[string]map[string]promotion.CheckChanged
	order     map[string]int64 // freight → the higher the newer, as it was made
	yes       []yes
	dismissed map[int64]bool               // reviews, as the core was told
	empty     map[string][]landing         // what stages hold without a commit of its own
	byItself  map[string]int               // "stage/freight" → automatic promotions
	hopeless  map[string]bool              // effects that cannot be done
	runs      map[string]bool              // editing steps that gave a result, by "effect @ attempt"
	past      map[string]bool              // promotions that a person merged past a gate
	buttons   []button                     // every one that was shown
	took      []judgedCommand              // carried out in the decision at hand
	stale     map[string]bool              // promotions that found their branch moved
	pressed   map[string]promotion.Pressed // by delivery: the buttons that the core was told of
	diskless  bool                         // the disk was lost
	lost      bool                         // the ledger was lost: what is not on GitHub is forgotten
	unknown   bool                         // it was, and nobody knows yet what GitHub shows of it
	before    marks                        // of the life whose ledger was lost, until its traces are known
	adopting  bool                         // an earlier life is being looked at
}

// marks are what people set, until somebody lifts it. A mark is never changed in
// place: the ledger holds those of when it was written.
type marks struct {
	frozen  map[string]time.Time // stage, or "all" → until when; far away: until somebody lifts it
	blocked map[string]bool      // freight that nobody may promote
	once    map[string]bool      // freight that was blocked at some time
	paused  map[string]string    // stages that promote nothing by themselves → the comment or the promotion by which
	undone  map[string]undoing   // "stage/freight" that was rolled back from
}

// undoing is that freight was rolled back from.
type undoing struct {
	arrived int    // how often it had until then
	by      string // promotion
}

func set[V any](m map[string]V, key string, v V) map[string]V {
	out := maps.Clone(m)
	if out == nil {
		out = map[string]V{}
	}
	out[key] = v
	return out
}

func unset[V any](m map[string]V, key string) map[string]V {
	out := maps.Clone(m)
	delete(out, key)
	return out
}

type judgedKey struct {
	comment int64
	cause   string
	line    int
}

// yes is somebody's approval.
type yes struct {
	by, promotion, stage string
	at                   time.Time
	heads                map[int]string
	review               int64
	may                  bool // they might approve there then
}

func newRules(s *server) *rules {
	return &rules{
		server: s, full: s.hub.config, stages: len(s.hub.config.Stages), known: map[string]*promotion.Promotion{}, judged: map[judgedKey]bool{},
		reads: map[string]promotion.Result{}, heard: map[string]map[string]promotion.CheckChanged{}, empty: map[string][]landing{},
		byItself: map[string]int{}, order: map[string]int64{}, hopeless: map[string]bool{}, runs: map[string]bool{}, past: map[string]bool{}, dismissed: map[int64]bool{}, pressed: map[string]promotion.Pressed{}, stale: map[string]bool{},
	}
}

func (r *rules) path() string { return r.full.Path }

func (r *rules) branch(stage string) string {
	if st := r.full.Stage(stage); st != nil && st.Branch != "" {
		return st.Branch
	}
	return "main"
}

// rebuilt says that the store was lost: the state is that of the ledger, or none.
func (r *rules) rebuilt(m marks, ledgerToo bool) {
	if !r.unknown {
		r.before = r.marks
	}
	r.marks, r.config, r.diskless = m, nil, true
	r.lost = r.lost || ledgerToo
	r.unknown = r.state.Revision == 0
	r.heard = map[string]map[string]promotion.CheckChanged{}
	r.byItself = map[string]int{}
	r.runs = map[string]bool{}
	r.judged = map[judgedKey]bool{}
	r.known = map[string]*promotion.Promotion{}
	if ps := r.state.Pipelines[pipelineName]; ps != nil {
		for _, p := range ps.Promotions {
			r.known[p.Name] = p
		}
	}
	for _, c := range r.state.Comments {
		for _, k := range c.Commands {
			if k.Verdict != "" {
				r.judged[judgedKey{c.Comment, c.Cause, k.Line}] = true
			}
		}
	}
	for _, d := range r.sent {
		b, ok := d.event.Body.(promotion.Pressed)
		if cause := d.event.Cause; ok && slices.Contains(r.presses[b.Promotion+"@"+b.SHA], promotion.PressID(cause)) {
			for line := range mostStages {
				r.judged[judgedKey{0, cause, line + 1}] = true // its check run shows that it was heard
			}
		}
	}
	for _, c := range r.hub.said { // what GitHub shows to be answered was carried out
		for _, k := range c.cmds {
			if r.verdicts(c.id) > 0 {
				r.judged[judgedKey{c.id, "", k.Line}] = true
			}
		}
	}
}

// see judges one decision of the core: the state before it, and what it was given.
func (r *rules) see(before *promotion.State, inputs []promotion.Input) {
	for _, in := range inputs {
		r.hear(before, in)
		if e, ok := in.(promotion.Event); ok {
			r.toldOf(e)
		}
	}
	now := r.state
	r.besideTurns()
	adopted := r.adopting
	r.adopting = now.Local.Pending["adopt"] != nil || len(now.Local.Found)+len(now.Local.Said) > 0
	if adopted && !r.adopting && r.unknown {
		r.marks, r.unknown = r.shown(), false
	}
	r.time()
	r.comments(now)
	ps := now.Pipelines[pipelineName]
	if ps == nil {
		return
	}
	if n := len(ps.Freight); n > 0 && r.order[ps.Freight[n-1].ID] != ps.Freight[n-1].Number {
		for _, f := range ps.Freight {
			r.order[f.ID] = f.Number
		}
	}
	r.each(ps, func(p *promotion.Promotion) bool { return p.Phase.Terminal() }) // first: what starts may build on it
	r.each(ps, func(*promotion.Promotion) bool { return true })
	if before != nil && before.Pipelines[pipelineName] != nil && !r.adopting {
		r.turns(before.Pipelines[pipelineName], ps)
	}
}

// each judges those of the promotions that changed in this decision.
func (r *rules) each(ps *promotion.PipelineState, which func(*promotion.Promotion) bool) {
	for _, p := range ps.Promotions {
		if was := r.known[p.Name]; was != p && which(p) {
			r.known[p.Name] = p
			r.moved(was, p)
		}
	}
}

// hear takes what the core was told.
func (r *rules) hear(before *promotion.State, in promotion.Input) {
	switch in := in.(type) {
	case promotion.ConfigRead:
		r.ill = len(in.Broken) > 0
		if !r.ill {
			r.config = in.Pipelines[pipelineName]
		}
	case promotion.Event:
		if k, ok := in.Body.(promotion.CheckChanged); ok {
			r.note(k.SHA, k)
		}
		if b, ok := in.Body.(promotion.Pressed); ok {
			r.pressed[in.Cause] = b
		}
		if v, ok := in.Body.(promotion.Reviewed); ok && v.State == "dismissed" {
			r.dismissed[v.Review] = true
		}
	case promotion.Result:
		e := before.Local.Pending[in.Effect]
		if wait, limited := promotion.WaitOf(in.Err); limited && e != nil && !e.Cancelled {
			r.rated[e.ID] = r.now.Add(wait)
		}
		switch {
		case e != nil && errors.Is(in.Err, promotion.ErrStale):
			r.stale[e.Promotion] = true
		case e == nil || in.Err != nil:
		case e.Kind == promotion.KindChecks:
			for _, k := range in.Checks {
				r.note(e.SHA, k)
			}
		case e.Kind == promotion.KindPermission:
			r.reads[e.Login] = in
		case e.Kind == promotion.KindStep && in.Phase == promotion.StepSucceeded:
			if p := before.Promotion(e.Promotion); p != nil {
				r.runs[runKey(p, *e)] = true
			}
		}
	}
}

func (r *rules) promotionOf(number int) string {
	for _, p := range r.pulls {
		if p.number == number {
			return p.promotion
		}
	}
	return ""
}

func (r *rules) note(sha string, k promotion.CheckChanged) {
	if r.heard[sha] == nil {
		r.heard[sha] = map[string]promotion.CheckChanged{}
	}
	if r.heard[sha][k.Name].ID < k.ID {
		r.heard[sha][k.Name] = k
	}
}

// time lifts the freezes whose time is over.
func (r *rules) time() {
	for stage, until := range r.frozen {
		if !until.After(r.now) {
			r.frozen = unset(r.frozen, stage)
		}
	}
}

// told notes the buttons of a check run that the app wrote.
func (r *rules) told(k *promotion.Check) {
	for _, action := range k.Actions {
		if b := (button{k.ExternalID, action, k.SHA, k.Writer}); !slices.Contains(r.buttons, b) {
			r.buttons = append(r.buttons, b)
		}
	}
}

// button is one that somebody may have seen, and may press any time.
type button struct{ promotion, action, sha, writer string }

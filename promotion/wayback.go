package promotion

import (
	"slices"
	"strings"
	"time"
)

// wayBack finds out which stages were rolled back in an earlier life: what they were
// rolled back from is not verified there, and they promote nothing by themselves until
// somebody says so, or promotes there.
type wayBack struct {
	*core
	said   map[string][]turning // what people said, by stage
	causes map[string]*Mark     // rollbacks that people asked for, by the cause as names hold it
	asked  []asked              // promotions and rollbacks that people asked for
}

// turning is something that changed how a stage stands.
type turning struct {
	at     time.Time
	holds  string // freight that landed; empty: none did
	pauses *Mark  // it was rolled back; nil: it was not
	lifts  bool   // it promotes by itself again
	cause  string // of the rollback, as the name of its promotion holds it
}

// take takes a command that was carried out. Where one line of a comment began something
// and another found all done, nobody can tell which: such a comment lifts nothing.
func (b *wayBack) take(s Said, cmd Command) {
	began := slices.Contains(s.Verdicts, VerdictStarted)
	if len(cmd.Args) == 0 || cmd.Name == "rollback" && !began || cmd.Name == "promote" && (!began || len(s.Verdicts) > 1) {
		return
	}
	p, stage, unknown := b.findStage(cmd.Args[0])
	if unknown != "" {
		return
	}
	t := turning{at: s.At.UTC(), lifts: true}
	if cmd.Name != "resume" {
		cause := causePart((&CommentState{Comment: s.Comment}).cause(cmd))
		b.asked = append(b.asked, asked{s.By, "/" + strings.Join(append([]string{cmd.Name}, cmd.Args...), " "), cause, t.at})
	}
	if cmd.Name == "rollback" {
		t.pauses, t.lifts = &Mark{By: s.By, At: s.At.UTC(), Reason: "rolled back"}, false
		t.cause = causePart((&CommentState{Comment: s.Comment}).cause(cmd))
		b.causes[t.cause] = t.pauses
	}
	place := p.Name + "/" + stage.Name
	b.said[place] = append(b.said[place], t)
}

// recall gives the stages what was found out.
func (b *wayBack) recall() {
	for _, name := range sortedKeys(b.state.Pipelines) {
		config := b.state.Local.Config[name]
		if config == nil {
			continue
		}
		for i := range config.Stages {
			b.recallStage(name, config.Stages[i].Name)
		}
	}
}

func (b *wayBack) recallStage(pipeline, stage string) {
	turns := slices.Concat(b.happened(pipeline, stage), b.said[pipeline+"/"+stage])
	slices.SortStableFunc(turns, func(x, y turning) int { return x.at.Compare(y.at) })
	landed := map[string]bool{} // rollbacks whose landings show what they took back
	for _, t := range turns {
		landed[t.cause] = landed[t.cause] || t.holds != ""
	}
	held, undone := "", map[string]*Mark{}
	var paused *Mark
	for _, t := range turns {
		if t.pauses != nil && held != "" && held != t.holds && landed[t.cause] == (t.holds != "") {
			undone[held] = t.pauses
		}
		switch {
		case t.holds != "":
			held = t.holds
			delete(undone, held)
		case t.pauses != nil:
			paused = t.pauses
		case t.lifts:
			paused = nil
		}
	}
	if paused != nil {
		b.stage(pipeline, stage).Paused = paused
	}
	for _, freight := range sortedKeys(undone) {
		b.undo(pipeline, stage, freight, undone[freight])
	}
}

// happened is what landed in a stage and what is known to have begun there. What began
// and is no rollback shows that nothing was paused.
func (b *wayBack) happened(pipeline, stage string) []turning {
	st := b.state.stageOf(pipeline, stage)
	landings := slices.Clone(st.Before)
	if st.Current != nil {
		landings = append(landings, *st.Current)
	}
	var names []string
	for _, l := range landings {
		names = append(names, l.Promotion)
	}
	for _, p := range b.state.Pipelines[pipeline].Promotions {
		if p.Stage == stage && !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	var out []turning
	for _, l := range landings {
		named, _ := ParseName(l.Promotion)
		out = append(out, turning{at: l.At, holds: l.Freight, pauses: b.backBy(l.Promotion, names), cause: named.Cause})
	}
	for _, name := range names {
		named, ok := ParseName(name)
		if !ok {
			continue
		}
		mark := b.backBy(name, names)
		if p := b.promotion(name); p != nil && mark != nil {
			b.own(p).Priority = PriorityRollback
		}
		out = append(out, turning{at: named.At, pauses: mark, lifts: mark == nil, cause: named.Cause})
	}
	return out
}

// backBy is the mark of a promotion that is a rollback: one that somebody asked for, or
// one that came of another promotion of the stage; nil: it is none.
func (b *wayBack) backBy(name string, others []string) *Mark {
	named, ok := ParseName(name)
	if !ok || b.causes[named.Cause] != nil {
		return b.causes[named.Cause]
	}
	for _, other := range others {
		if causePart("rollback/"+other) == named.Cause {
			return &Mark{At: named.At, Reason: "rolled back"}
		}
	}
	return nil
}

// undo takes that a stage was rolled back from freight.
func (b *wayBack) undo(pipeline, stage, freight string, mark *Mark) {
	st := b.stage(pipeline, stage)
	delete(st.Verified, freight)
	if st.Current == nil || st.Current.Freight != freight {
		return
	}
	undone := *st.Current
	undone.Undone = true
	st.Current, st.Health = &undone, Health{Bad: true, Why: mark.Reason, Since: mark.At}
	for _, o := range slices.Clone(b.state.Pipelines[pipeline].Promotions) {
		if o.Stage == stage && o.Verify != nil && o.Freight == freight {
			o = b.own(o)
			o.Verify = nil
			b.finish(o, PhaseFailed, "Rolled back"+byWhom(mark.By)+" before it was verified")
		}
	}
}

package promotion

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
)

// Whereabouts say where in a pipeline the freight of a commit is.
type Whereabouts struct {
	Name       string       `json:"name"` // of the check run
	ExternalID string       `json:"externalID"`
	Pipeline   string       `json:"pipeline"`
	Source     string       `json:"source"` // the first one that the commit is an artifact of
	Repo       string       `json:"-"`      // "owner/name" of the commit
	Commit     string       `json:"commit"`
	Freight    *Freight     `json:"-"` // the newest that holds it
	Stages     []StageReach `json:"stages"`
}

// Reach says how far freight came in a stage.
type Reach string

// The reaches, in the words that their digest has. The zero value means not there, and
// no pull request would bring it.
const (
	ReachOpen      Reach = "open"      // a pull request would bring it
	ReachVerifying Reach = "verifying" // it landed, and is being verified
	ReachThere     Reach = "there"     // it landed, or newer freight did
	ReachFailed    Reach = "failed"    // it landed, and does not fare well
	ReachUndone    Reach = "undone"    // it landed, and was rolled back from
)

// StageReach is how far the freight came in one stage.
type StageReach struct {
	Stage       string   `json:"stage"`
	Reach       Reach    `json:"reach,omitempty"`
	PullRequest int      `json:"pullRequest,omitempty"` // that would bring it; 0: none
	Landing     *Landing `json:"-"`                     // nil: newer freight brought it, or none did
	Next        bool     `json:"-"`                     // it is not there, and where it has to be before it is well
}

// Digest identifies what they say: unchanged ones cost no write.
func (w *Whereabouts) Digest() string {
	raw, _ := json.Marshal(w)
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8])
}

// Everywhere reports whether every stage has it, or something newer, and fares well.
func (w *Whereabouts) Everywhere() bool {
	for _, s := range w.Stages {
		if s.Reach != ReachThere {
			return false
		}
	}
	return true
}

// Whereabouts are those of a commit of one of the pipeline's git sources that shows
// them; nil: none shows it, or nobody promotes its freight.
func (s *State) Whereabouts(pipeline, commit string) *Whereabouts {
	p, ps := s.Local.Config[pipeline], s.Pipelines[pipeline]
	if p == nil || ps == nil {
		return nil
	}
	w, holding := s.commitOf(p, ps, commit)
	if w == nil {
		return nil
	}
	promoted := ps.Shown[commit].Digest != ""
	stages := InOrder(p.Stages)
	for _, stage := range stages {
		reach := ps.reach(stage.Name, holding)
		promoted = promoted || reach.Landing != nil || reach.Reach == ReachOpen || reach.Reach == ReachUndone
		w.Stages = append(w.Stages, reach)
	}
	if !promoted {
		return nil
	}
	for i, stage := range stages {
		w.Stages[i].Next = w.Stages[i].Reach == "" && w.reached(stage)
	}
	return w
}

// reached reports whether the commit is where `after` of a stage asks for.
func (w *Whereabouts) reached(stage *Stage) bool {
	there := 0
	for _, s := range w.Stages {
		if s.Reach == ReachThere && slices.Contains(stage.After, s.Stage) {
			there++
		}
	}
	return there == len(stage.After) || there > 0 && stage.AfterMode == AfterAny
}

// commitOf finds the freight that holds a commit, as a source has it that shows
// commits; the oldest is first.
func (s *State) commitOf(p *Pipeline, ps *PipelineState, commit string) (w *Whereabouts, holding []*Freight) {
	for _, f := range ps.Freight {
		for i := range p.Sources {
			src := &p.Sources[i]
			a, ok := f.Artifact(src.Name)
			if !ok || a.Commit != commit || !src.shows(a, s.Repo) {
				continue
			}
			w = &Whereabouts{
				Name: CommitCheckName(s.Repo, p.Name, !src.Git.own(s.Repo)), ExternalID: fmt.Sprintf("freight/%d/%s", s.Repo.ID, p.Name),
				Pipeline: p.Name, Source: src.Name, Repo: a.Repo, Commit: commit, Freight: f,
			}
			holding = append(holding, f)
			break
		}
	}
	return w, holding
}

// reach says how far one of some pieces of freight came in a stage.
func (ps *PipelineState) reach(stage string, holding []*Freight) StageReach {
	out, st := StageReach{Stage: stage}, ps.Stages[stage]
	if st == nil {
		st = &StageState{}
	}
	held := func(id string) bool { return idIn(id, holding) }
	landings := st.landings()
	for i := range landings {
		if held(landings[i].Freight) {
			out.Landing = &landings[i]
		}
	}
	switch at := st.Current; {
	case at != nil && held(at.Freight):
		out.Reach = ps.fares(stage, st)
	case at != nil && ps.numberOf(at.Freight) >= holding[0].Number:
		out.Reach = ReachThere
	case ps.pullFor(stage, held) != 0:
		out.Reach, out.PullRequest = ReachOpen, ps.pullFor(stage, held)
	case out.Landing != nil:
		out.Reach = ReachUndone
	}
	return out
}

func idIn(id string, list []*Freight) bool {
	for _, f := range list {
		if f.ID == id {
			return true
		}
	}
	return false
}

// fares is how a stage fares with what it holds.
func (ps *PipelineState) fares(stage string, st *StageState) Reach {
	if st.Health.Bad {
		return ReachFailed
	}
	for _, p := range ps.Promotions {
		if p.Stage == stage && p.Verify != nil && p.Freight == st.Current.Freight {
			return ReachVerifying
		}
	}
	return ReachThere
}

// pullFor is the open pull request that would bring freight to a stage; 0: there is none.
func (ps *PipelineState) pullFor(stage string, held func(id string) bool) int {
	for _, p := range ps.Promotions {
		if p.Stage == stage && held(p.Freight) && p.Phase.Started() && p.PullRequest != nil && p.PullRequest.State == "open" {
			return p.PullRequest.Number
		}
	}
	return 0
}

// numberOf is the number of a piece of freight; 0: it is not known.
func (ps *PipelineState) numberOf(id string) int64 {
	for _, f := range ps.Freight {
		if f.ID == id {
			return f.Number
		}
	}
	return 0
}

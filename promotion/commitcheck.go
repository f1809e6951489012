package promotion

import (
	"cmp"
	"slices"
	"time"
)

// A person who looks at a commit asks where it is. A git source that asks for it
// (GitSource.CheckRun) has the check run CommitCheckName on the commits of freight
// that somebody promotes. It blocks nothing, and costs nothing for the rest.

// CommitCheck is what is known of the check run on a commit of a git source. The zero
// value says that none was written since its freight came to be.
type CommitCheck struct {
	ID     int64  `json:"id,omitempty"`     // 0: none that is known
	Digest string `json:"digest,omitempty"` // of the Whereabouts that were written last, or with gaveUpOn could not be
}

const gaveUpOn = "!"

// refusedCommitChecks is the key of the problem that the app may not write them for a
// source. While it stands none are tried; it goes, as all that is blocked, when the
// owner accepts permissions.
func refusedCommitChecks(pipeline, source string) string {
	return "blocked/" + string(KindCommitCheck) + "/" + pipeline + "/" + source
}

// showsCommits reports whether a source of the pipeline asks for check runs.
func (p *Pipeline) showsCommits() bool {
	return slices.ContainsFunc(p.Sources, func(s Source) bool { return s.Git != nil && s.Git.CheckRun })
}

// showCommits records the effects of the check runs on the commits of a pipeline's
// freight, where they should say something else than they do. What each says is drawn
// when it is written, so that all that happens in one moment is one write.
func (c *core) showCommits(name string) {
	p, ps := c.state.Local.Config[name], c.state.Pipelines[name]
	if p == nil || ps == nil || ps.Gone || !p.showsCommits() || c.adopting() {
		return
	}
	for _, f := range ps.Freight {
		for _, a := range f.Artifacts {
			if a.Kind == ArtifactGit {
				c.showCommit(ps, c.state.Whereabouts(name, a.Commit))
			}
		}
	}
}

func (c *core) showCommit(ps *PipelineState, w *Whereabouts) {
	if w == nil || c.hasProblem(refusedCommitChecks(w.Pipeline, w.Source)) {
		return
	}
	note, known := ps.Shown[w.Commit]
	if digest := w.Digest(); note.Digest == digest || note.Digest == gaveUpOn+digest {
		return
	}
	c.effect(Effect{
		ID: string(KindCommitCheck) + "/" + w.Pipeline + "/" + w.Commit, Kind: KindCommitCheck, Pipeline: w.Pipeline, Source: w.Source, SHA: w.Commit,
		AtRest: true, Look: !known || note.ID == 0 && note.Digest != "",
	})
}

// rebuiltDoubt is by how much GitHub's clock and ours may differ: a commit that is
// older than this after the store was found empty may be one of an earlier life, with
// a check run already.
const rebuiltDoubt = time.Minute

// knowCommits notes of new freight that its commits have no check run yet, as far as
// they came after a time: one that is written then need not be looked for.
func (ps *PipelineState) knowCommits(p *Pipeline, f *Freight, after time.Time) {
	for i := range p.Sources {
		a, ok := f.Artifact(p.Sources[i].Name)
		if _, known := ps.Shown[a.Commit]; !ok || known || p.Sources[i].Git == nil || !p.Sources[i].Git.CheckRun || !a.At.After(after) {
			continue
		}
		ps.Shown = cloneMap(ps.Shown)
		ps.Shown[a.Commit] = CommitCheck{}
	}
}

// suspectCommits takes that the store was lost: what was written after the ledger was
// is not noted, so it is looked for.
func (ps *PipelineState) suspectCommits() {
	shown := cloneMap(ps.Shown)
	for commit, note := range ps.Shown {
		if note == (CommitCheck{}) {
			delete(shown, commit)
		}
	}
	ps.Shown = shown
}

// forgetCommits forgets the check runs of commits that no freight holds any more:
// they stay as they are.
func (ps *PipelineState) forgetCommits() {
	if len(ps.Shown) == 0 {
		return
	}
	kept := map[string]CommitCheck{}
	for _, f := range ps.Freight {
		for _, a := range f.Artifacts {
			if note, ok := ps.Shown[a.Commit]; ok {
				kept[a.Commit] = note
			}
		}
	}
	ps.Shown = kept
}

// Shows reports whether the check run that an effect is to write is known to say that
// already: what changed may have changed back before it is written.
func (s *State) Shows(e Effect, w *Whereabouts) bool {
	ps := s.Pipelines[e.Pipeline]
	return !e.Look && ps != nil && ps.Shown[e.SHA].Digest == w.Digest()
}

// commitShown takes that a check run on a commit was written, or that there is nothing
// to say any more. An earlier try whose answer is missing may have written then, so
// what stands there is not known.
func (c *core) commitShown(e *Effect, r Result) {
	if r.Digest != "" {
		c.dropProblems(problemOf(e))
		c.noteCommit(e, CommitCheck{ID: r.CheckID, Digest: r.Digest})
		return
	}
	if ps := c.state.Pipelines[e.Pipeline]; ps != nil && e.Look {
		if note, known := ps.Shown[e.SHA]; known {
			c.noteCommit(e, CommitCheck{ID: note.ID, Digest: gaveUpOn})
		}
	}
}

// commitNotShown takes that it can not be: it is left out until it should say
// something else, or until permissions were accepted.
func (c *core) commitNotShown(e *Effect, err error) {
	ps := c.state.Pipelines[e.Pipeline]
	if ps == nil {
		return
	}
	note := CommitCheck{ID: ps.Shown[e.SHA].ID, Digest: gaveUpOn} // an earlier try may have been done all the same
	if lacks(err) {
		c.problem(Problem{Key: refusedCommitChecks(e.Pipeline, e.Source), Text: "Check runs on the commits of the source " + e.Source + " are left out: " + err.Error()})
	} else if w := c.state.Whereabouts(e.Pipeline, e.SHA); w != nil {
		note.Digest += w.Digest()
	}
	c.noteCommit(e, note)
}

func (c *core) noteCommit(e *Effect, note CommitCheck) {
	ps := c.pipe(e.Pipeline)
	ps.Shown = cloneMap(ps.Shown)
	ps.Shown[e.SHA] = note
	ps.forgetCommits() // its freight may be forgotten meanwhile
}

// CommitCheckName is the check run that says on a commit of a git source where it is:
// of one pipeline, and elsewhere than in the pipeline's repository also of that. No
// stage's check can have that name.
func CommitCheckName(own Repo, pipeline string, elsewhere bool) string {
	name := "stagecoach freight"
	switch {
	case elsewhere && pipeline != DefaultPipeline:
		return name + " (" + own.FullName() + ", " + pipeline + ")"
	case elsewhere:
		return name + " (" + own.FullName() + ")"
	case pipeline != DefaultPipeline:
		return name + " (" + pipeline + ")"
	}
	return name
}

// shows reports whether a source has check runs on the commit of an artifact, which
// it may have followed somewhere else before.
func (s *Source) shows(a Artifact, own Repo) bool {
	if s.Git == nil || !s.Git.CheckRun || a.Source != s.Name || a.Kind != ArtifactGit || a.Commit == "" {
		return false
	}
	return s.Git.own(own) || WatchGit(cmp.Or(a.Repo, s.Git.Repo)) == WatchGit(s.Git.Repo)
}

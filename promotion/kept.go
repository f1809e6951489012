package promotion

import (
	"cmp"
	"slices"
	"strings"
)

// artifactMemory is how many artifacts of a source a pipeline remembers, those of
// its freight included. Beyond them the source is asked.
const artifactMemory = 20

// keep remembers an artifact that is no longer the newest of its source, for people
// who want it back. What freight holds is remembered there and costs nothing here.
func (c *core) keep(ps *PipelineState, a Artifact) {
	held := ps.artifactsOf(a.Source)
	same := a.is
	room := artifactMemory - len(held)
	kept := slices.DeleteFunc(slices.Clone(ps.Kept[a.Source]), same)
	if !slices.ContainsFunc(held, same) {
		kept = append(kept, a)
	}
	kept = kept[max(0, len(kept)-max(0, room)):]
	if len(kept) == 0 && len(ps.Kept[a.Source]) == 0 {
		return
	}
	ps.Kept = cloneMap(ps.Kept)
	if ps.Kept[a.Source] = kept; len(kept) == 0 {
		delete(ps.Kept, a.Source)
	}
}

// artifactsOf are the artifacts of a source that the pipeline's freight holds, each
// once, the oldest freight first.
func (ps *PipelineState) artifactsOf(source string) []Artifact {
	out := make([]Artifact, 0, len(ps.Freight))
	for _, f := range ps.Freight {
		if a, ok := f.Artifact(source); ok && !slices.ContainsFunc(out, a.is) {
			out = append(out, a)
		}
	}
	return out
}

// forgetKept forgets what is remembered of a source that follows something else now.
func (ps *PipelineState) forgetKept(source string) {
	if ps.Kept[source] != nil {
		ps.Kept = cloneMap(ps.Kept)
		delete(ps.Kept, source)
	}
}

// remembered are the artifacts that a word names, of those that no freight holds.
func (c *core) remembered(p *Pipeline, word string) []Artifact {
	ps, out := c.state.Pipelines[p.Name], []Artifact(nil)
	source, version := cutVersion(p, word)
	for i := range p.Sources {
		name := p.Sources[i].Name
		if source != "" && source != name {
			continue
		}
		for _, a := range ps.Kept[name] {
			if a.Is(version) {
				out = append(out, a)
			}
		}
	}
	return out
}

// Is reports whether a word that a person wrote names the artifact: its tag or
// version, its digest, both with an @ between them, or at least four digits of its commit.
func (a Artifact) Is(word string) bool {
	tag, digest, both := strings.Cut(word, "@")
	switch w := strings.ToLower(word); {
	case word == "":
		return false
	case both && a.Tag == tag && (a.Digest == digest || a.Digest == "" && a.Commit == digest):
		return true
	case a.Tag == word, a.Digest == word:
		return true
	default:
		return len(w) >= 4 && strings.HasPrefix(a.Commit, w)
	}
}

// names reports whether a word names a piece of freight of the pipeline: the start of
// its ID, its alias, a version, or SOURCE=VERSION.
func (p *Pipeline) names(word string, f *Freight) bool {
	if source, version := cutVersion(p, word); source != "" {
		a, ok := f.Artifact(source)
		return ok && a.Is(version)
	}
	return f.Matches(word)
}

// freightFor is findFreight for a command that may have to wait: a version that is
// known in no freight is looked for among the artifacts that are remembered, and
// then in the sources. asked means that they are being asked; the command is judged
// when they have answered.
func (c *core) freightFor(p *Pipeline, stage *Stage, word string, number, priority int) (f *Freight, wrong string, asked bool) {
	f, wrong = c.findFreight(p, stage, word, number, priority)
	if f != nil || word == "" || c.matching(p, word) > 0 {
		return f, wrong, false
	}
	older, why, asked := c.older(p, word)
	if asked || older != nil {
		return older, "", asked
	}
	if why != "" {
		wrong = sentence("%s Newest: %s.", why, cmp.Or(strings.Join(newest(c.state.Pipelines[p.Name].Freight, 3), ", "), "none"))
	}
	return nil, wrong, false
}

// older finds the freight of an artifact that is not among the newest.
func (c *core) older(p *Pipeline, word string) (f *Freight, wrong string, asked bool) {
	switch kept := c.remembered(p, word); {
	case len(kept) == 1:
		f, wrong = c.olderFreight(p, kept[0])
		return f, wrong, false
	case len(kept) > 1:
		return nil, sentence("%s fits several: %s. Write more of it.", plain(word), strings.Join(exactly(kept), ", ")), false
	}
	return c.seek(p, word)
}

// exactly names artifacts so that a command can: SOURCE=VERSION@DIGEST.
func exactly(list []Artifact) []string {
	out := make([]string, len(list))
	for i, a := range list {
		out[i] = sentence("`%s=%s`", a.Source, plain(a.Version()))
		if a.Tag != "" && cmp.Or(a.Digest, a.Commit) != "" {
			out[i] = sentence("`%s=%s@%s`", a.Source, plain(a.Tag), plain(cmp.Or(a.Digest, a.Commit)))
		}
	}
	return out
}

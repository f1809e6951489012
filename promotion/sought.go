package promotion

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Sought is what came of a look for a version that a person named.
type Sought struct {
	Artifact *Artifact `json:"artifact,omitempty"` // nil: no source has it
	Why      string    `json:"why,omitempty"`      // why it could not be had
	At       time.Time `json:"at"`
}

// soughtFor is how long an answer counts: long enough for the command that asked.
const soughtFor = 5 * time.Minute

func soughtKey(pipeline, word string) string { return pipeline + "/" + word }

// seek finds freight that a word names and that is not known: of a source whose
// older versions can be looked up. asked means that it is being asked, and that the
// command waits.
func (c *core) seek(p *Pipeline, word string) (f *Freight, wrong string, asked bool) {
	got, known := c.state.Local.Sought[soughtKey(p.Name, word)]
	if known && c.now.Sub(got.At) < soughtFor {
		if got.Artifact == nil {
			return nil, got.Why, false
		}
		f, wrong = c.olderFreight(p, *got.Artifact)
		return f, wrong, false
	}
	source, version := cutVersion(p, word)
	for i := range p.Sources {
		src := &p.Sources[i]
		if source != "" && src.Name != source || !src.mayHave(version) {
			continue
		}
		asked = true
		c.effect(Effect{
			ID: sourceKey(p.Name, src.Name) + "/seek/" + word, Kind: KindSource, Pipeline: p.Name, Source: src.Name,
			Version: version, Text: word,
		})
	}
	return nil, "", asked
}

// matching is how many pieces of known freight a word names.
func (c *core) matching(p *Pipeline, word string) (n int) {
	for _, f := range c.state.Pipelines[p.Name].Freight {
		if p.names(word, f) {
			n++
		}
	}
	return n
}

// cutVersion takes SOURCE=VERSION apart; source is empty when only a version is named.
func cutVersion(p *Pipeline, word string) (source, version string) {
	name, rest, ok := strings.Cut(word, "=")
	if ok && slices.ContainsFunc(p.Sources, func(s Source) bool { return s.Name == name }) {
		return name, rest
	}
	return "", word
}

// mayHave keeps words from sources that can have no version of that name.
func (s *Source) mayHave(version string) bool {
	if s.Git != nil && s.Git.Tags == nil {
		return len(version) >= 4 && len(version) <= 40 && strings.Trim(strings.ToLower(version), "0123456789abcdef") == ""
	}
	return looksLikeVersion(version)
}

// looksLikeVersion keeps words from registries that can be no tag: a tag holds
// letters, digits, and _ . - + (https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pulling-manifests),
// behind an @ the digest.
func looksLikeVersion(word string) bool {
	tag, _, _ := strings.Cut(word, "@")
	return tag != "" && len(word) <= 200 && strings.Trim(tag, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-+/") == ""
}

// found takes the answer of a look for a version: what one source has, and only
// when none has it, that.
func (c *core) found(e *Effect, r Result, why string) {
	c.state.Local.Sought = cloneMap(c.state.Local.Sought)
	maps.DeleteFunc(c.state.Local.Sought, func(_ string, s Sought) bool { return c.now.Sub(s.At) >= soughtFor })
	key := soughtKey(e.Pipeline, e.Text)
	before, had := c.state.Local.Sought[key]
	switch {
	case r.Artifact != nil && had && before.Artifact != nil && before.Artifact.Source != r.Artifact.Source:
		c.state.Local.Sought[key] = Sought{At: c.now, Why: sentence("Several sources have %s: write %s=%s or %s=%s.", plain(e.Version),
			before.Artifact.Source, plain(e.Version), r.Artifact.Source, plain(e.Version))}
	case r.Artifact != nil:
		c.state.Local.Sought[key] = Sought{Artifact: r.Artifact, At: c.now}
	case !had || before.Artifact == nil && why != "":
		if why == "" {
			why = sentence("%s is not known here, and no source has it.", plain(e.Text))
		}
		c.state.Local.Sought[key] = Sought{Why: why, At: c.now}
	}
}

// seeking reports whether a comment waits for a look for a version that it names,
// whoever asked for that first.
func (c *core) seeking(s *CommentState) bool {
	for _, e := range c.state.Local.Pending {
		if e.Kind != KindSource || e.Version == "" {
			continue
		}
		if slices.ContainsFunc(s.Commands, func(k CommandState) bool { return k.Verdict == "" && slices.Contains(k.Args, e.Text) }) {
			return true
		}
	}
	return false
}

// olderFreight makes freight of an artifact that a person named and the newest of
// all other sources. It is older than all that came by itself: its number is 0,
// so that nothing promotes it unasked.
func (c *core) olderFreight(p *Pipeline, a Artifact) (*Freight, string) {
	ps := c.pipe(p.Name)
	artifacts := []Artifact{a}
	for _, src := range p.Sources {
		if src.Name == a.Source {
			continue
		}
		other, ok := ps.Artifacts[src.Name]
		if !ok {
			return nil, sentence("The source %s has no version yet.", src.Name)
		}
		artifacts = append(artifacts, other)
	}
	f := NewFreight(artifacts, 0, c.now)
	if known := c.state.FreightByID(p.Name, f.ID); known != nil {
		return known, ""
	}
	c.forgetStale(p.Name, f.ID)
	ps.Freight = slices.Insert(ps.Freight, 0, f)
	c.touchFreight(p.Name)
	return f, ""
}

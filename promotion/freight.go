package promotion

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Artifact is one exact version of a source. Which fields are set depends on
// the kind of source: a git artifact has Repo, Branch (or Tag) and Commit.
type Artifact struct {
	Source string    `json:"source"` // its name in the pipeline
	Kind   string    `json:"kind"`   // git, image, chart, release
	Repo   string    `json:"repo"`   // git: "owner/name"
	Branch string    `json:"branch,omitempty"`
	Tag    string    `json:"tag,omitempty"`
	Commit string    `json:"commit,omitempty"` // 40 hex digits
	Digest string    `json:"digest,omitempty"`
	Title  string    `json:"title,omitempty"`  // for people: the first line of the commit message
	Author string    `json:"author,omitempty"` // login of who pushed it
	At     time.Time `json:"at,omitzero"`      // when it came to be, if known
	// From and Revision are the address of the sources that an image or chart was built
	// from, and their commit, as it says of itself. Nobody has checked them.
	From     string `json:"from,omitempty"`
	Revision string `json:"revision,omitempty"`
	// PullRequest is the number of the pull request that brought it; 0: none known.
	PullRequest int `json:"pullRequest,omitempty"`
}

// Version is the artifact's exact version in the form people use.
func (a Artifact) Version() string {
	switch {
	case a.Tag != "":
		return a.Tag
	case a.Commit != "":
		return short(a.Commit)
	}
	return a.Digest
}

// identity is what the freight's ID hashes: nothing that is only there for people.
func (a Artifact) identity() string {
	return strings.Join([]string{a.Source, a.Kind, strings.ToLower(a.Repo), a.Tag, a.Commit, a.Digest}, "\x00")
}

// is reports whether two artifacts have the same identity.
func (a Artifact) is(b Artifact) bool {
	return a.Commit == b.Commit && a.Tag == b.Tag && a.Digest == b.Digest && a.Source == b.Source && a.Kind == b.Kind && strings.EqualFold(a.Repo, b.Repo)
}

// Freight is one exact artifact of each source of its pipeline.
type Freight struct {
	ID        string     `json:"id"` // 40 hex digits, see FreightID
	Artifacts []Artifact `json:"artifacts"`
	CreatedAt time.Time  `json:"createdAt"` // when the last of its artifacts was seen
	Number    int64      `json:"number"`    // rises with each freight of the pipeline: which one is newer
	Metadata  Metadata   `json:"metadata,omitempty"`
}

// FreightID hashes the artifacts: the same artifacts are the same freight, in
// whatever order they are given.
func FreightID(artifacts []Artifact) string {
	ids := make([]string, len(artifacts))
	for i, a := range artifacts {
		ids[i] = a.identity()
	}
	slices.Sort(ids)
	sum := sha256.Sum256([]byte(strings.Join(ids, "\x01")))
	return hex.EncodeToString(sum[:20])
}

// NewFreight makes the freight of the artifacts, ordered by source name.
func NewFreight(artifacts []Artifact, number int64, at time.Time) *Freight {
	sorted := slices.Clone(artifacts)
	slices.SortFunc(sorted, func(a, b Artifact) int { return cmp.Compare(a.Source, b.Source) })
	return &Freight{ID: FreightID(sorted), Artifacts: sorted, CreatedAt: at, Number: number}
}

// Artifact returns the artifact of the source called name.
func (f *Freight) Artifact(source string) (Artifact, bool) {
	for _, a := range f.Artifacts {
		if a.Source == source {
			return a, true
		}
	}
	return Artifact{}, false
}

// Title names the freight for people: "web 1.4.2", "app 9e1c2ab + chart 2.0.1".
func (f *Freight) Title() string {
	parts := make([]string, len(f.Artifacts))
	for i, a := range f.Artifacts {
		parts[i] = a.Source + " " + a.Version()
	}
	return strings.Join(parts, " + ")
}

// Alias is a readable name that derives from the ID alone.
func (f *Freight) Alias() string { return Alias(f.ID) }

// Alias turns a freight ID into its readable name. Two freights may share an
// alias (1 in 4,096); whoever looks one up treats that as ambiguous.
func Alias(id string) string {
	raw, err := hex.DecodeString(id)
	if err != nil || len(raw) < 4 {
		return id
	}
	return fmt.Sprintf("%s-%s", aliasFirst[raw[0]%64], aliasSecond[raw[2]%64])
}

// short abbreviates a commit for people.
func short(sha string) string {
	if len(sha) > 7 {
		return sha[:7]
	}
	return sha
}

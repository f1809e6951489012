package promotion

import (
	"cmp"
	"strings"
	"time"
)

// The kinds of artifacts.
const (
	ArtifactGit     = "git"
	ArtifactImage   = "image"
	ArtifactChart   = "chart"
	ArtifactRelease = "release"
)

// The ways to choose among an image's tags. The zero value means SelectSemver.
const (
	SelectSemver  = "semver"  // the highest version
	SelectNewest  = "newest"  // the image that was built last
	SelectDigest  = "digest"  // whatever the one tag points to
	SelectLexical = "lexical" // the last in the order of the alphabet
)

// TagRule says which tags or versions count, and which of them is the newest.
type TagRule struct {
	Select string `json:"select,omitempty"`
	// Constraint is one of Masterminds/semver; for SelectDigest it is the tag.
	// Empty: any version that is no prerelease.
	Constraint string `json:"constraint,omitempty"`
	AllowTags  string `json:"allowTags,omitempty"`  // RE2; empty: all
	IgnoreTags string `json:"ignoreTags,omitempty"` // RE2; empty: none
}

// ImageSource follows the tags of a container image.
type ImageSource struct {
	Repo string `json:"repo"` // as docker pull takes it, without a tag
	TagRule
	Platform string        `json:"platform,omitempty"` // os/architecture[/variant] that an image must have; empty: any
	Poll     time.Duration `json:"poll,omitempty"`     // between two looks that nothing asked for; 0: PollRegistry
}

// ChartSource follows the versions of a Helm chart.
type ChartSource struct {
	Repo       string        `json:"repo"`           // oci://… of the chart, or https://… of a repository of charts
	Name       string        `json:"name,omitempty"` // of the chart in an https repository
	Constraint string        `json:"constraint,omitempty"`
	Poll       time.Duration `json:"poll,omitempty"` // 0: PollRegistry
}

// OCI reports whether the chart stands in a registry of images.
func (s *ChartSource) OCI() bool { return strings.HasPrefix(s.Repo, "oci://") }

// ReleaseSource follows the releases of a repository of this GitHub.
type ReleaseSource struct {
	Repo        string        `json:"repo"` // "owner/name"
	Prereleases bool          `json:"prereleases,omitempty"`
	Constraint  string        `json:"constraint,omitempty"` // empty: the one that was published last
	Poll        time.Duration `json:"poll,omitempty"`       // 0: PollGitHub for another repository, never for the pipeline's own
}

// Release is one of GitHub's, as it lists them.
type Release struct {
	Tag        string
	Name       string // for people
	By         string // login of who made it
	Prerelease bool
	At         time.Time // when it was published
}

// How long nothing is looked at that nobody told of. Registries send no events,
// or not surely; GitHub does, but not of repositories without the app, and not of
// more than three tags that are pushed at once.
const (
	PollRegistry = 10 * time.Minute
	PollGitHub   = time.Hour
	PollLeast    = time.Minute
)

// Poll is how long a source is left alone when nothing is heard of it; 0: for
// ever, because every change of it comes as an event.
func (s *Source) Poll(own Repo) time.Duration {
	switch {
	case s.Image != nil:
		return cmp.Or(s.Image.Poll, PollRegistry)
	case s.Chart != nil:
		return cmp.Or(s.Chart.Poll, PollRegistry)
	case s.Release != nil && strings.EqualFold(s.Release.Repo, own.FullName()):
		return s.Release.Poll
	case s.Release != nil:
		return cmp.Or(s.Release.Poll, PollGitHub)
	case s.Git != nil && !s.OwnBranch(own):
		return PollGitHub
	}
	return 0
}

// OwnBranch reports whether the source is a branch of the pipeline's own
// repository: then pushes tell what it holds.
func (s *Source) OwnBranch(own Repo) bool {
	return s.Git != nil && s.Git.Tags == nil && s.Git.own(own)
}

func (g *GitSource) own(repo Repo) bool {
	return g.Repo == "" || strings.EqualFold(g.Repo, repo.FullName())
}

// Watch is what an event must be about to wake the source, in the words of
// WatchGit, WatchRelease and WatchOCI; empty: no event tells of it. It may hold a
// repository's name, which is why it is lower case.
func (s *Source) Watch(own Repo) string {
	switch {
	case s.Git != nil && s.Git.Tags != nil:
		return WatchTags(cmp.Or(s.Git.Repo, own.FullName()))
	case s.Git != nil:
		return WatchGit(cmp.Or(s.Git.Repo, own.FullName()))
	case s.Image != nil:
		return WatchOCI(s.Image.Repo)
	case s.Chart != nil && s.Chart.OCI():
		return WatchOCI(s.Chart.Repo)
	case s.Release != nil:
		return WatchRelease(s.Release.Repo)
	}
	return ""
}

// WatchGit names the branches of a repository, "owner/name".
func WatchGit(repo string) string { return "git:" + strings.ToLower(repo) }

// WatchTags names the tags of a repository, "owner/name".
func WatchTags(repo string) string { return "tags:" + strings.ToLower(repo) }

// WatchRelease names the releases of a repository, "owner/name".
func WatchRelease(repo string) string { return "release:" + strings.ToLower(repo) }

// WatchOCI names an image or a chart in a registry.
func WatchOCI(repo string) string {
	return "oci:" + strings.ToLower(strings.TrimPrefix(strings.TrimSuffix(repo, "/"), "oci://"))
}

// Watches are the keys of everything that the pipelines of a repository follow
// and that its own pushes do not tell of.
func Watches(pipelines map[string]*Pipeline, own Repo) []string {
	seen := map[string]bool{}
	for _, p := range pipelines {
		for i := range p.Sources {
			src := &p.Sources[i]
			if key := src.Watch(own); key != "" && !src.OwnBranch(own) {
				seen[key] = true
			}
		}
	}
	return sortedKeys(seen)
}

package ghsim

import (
	"cmp"
	"slices"
	"time"
)

// Release is a release of a repository. Its tag may not be there: that of a draft, or one that was deleted since.
type Release struct {
	ID                int64
	Tag, Target       string // Target is the branch or commit at which a missing tag is made
	Name, Notes       string
	Draft, Prerelease bool
	Author            string    // a login
	Created           time.Time // of the commit, not of the release
	Published         time.Time // zero: a draft
	Updated           time.Time
}

func releaseRoutes() []route {
	const all, one = "/repos/{owner}/{repo}/releases", "/repos/{owner}/{repo}/releases/{release_id}"
	return []route{
		{pattern: "GET " + all, docs: "releases/releases#list-releases", needs: "contents=read", role: roleRead, run: listReleases},
		{pattern: "POST " + all, docs: "releases/releases#create-a-release", needs: "contents=write", role: roleWrite, refs: true, run: createRelease},
		{pattern: "GET " + all + "/latest", docs: "releases/releases#get-the-latest-release", needs: "contents=read", role: roleRead, run: latestRelease},
		{pattern: "GET " + all + "/tags/{tag...}", docs: "releases/releases#get-a-release-by-tag-name", needs: "contents=read", role: roleRead, run: releaseByTag},
		{pattern: "PATCH " + one, docs: "releases/releases#update-a-release", needs: "contents=write", role: roleWrite, refs: true, run: withRelease(editRelease)},
		{pattern: "DELETE " + one, docs: "releases/releases#delete-a-release", needs: "contents=write", role: roleWrite, run: withRelease(deleteRelease)},
	}
}

func withRelease(run func(*call, *Release) reply) func(*call) reply {
	return func(c *call) reply {
		i := slices.IndexFunc(c.repo.releases, func(rel *Release) bool { return rel.ID == c.id("release_id") })
		if i < 0 {
			return notFound()
		}
		return run(c, c.repo.releases[i])
	}
}

// listReleases shows drafts to those alone who may push.
func listReleases(c *call) reply {
	seen := slices.DeleteFunc(slices.Clone(c.repo.releases), func(rel *Release) bool { return rel.Draft && !c.maySeeDrafts() })
	slices.SortFunc(seen, func(a, b *Release) int { return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.ID, a.ID)) })
	return list(c, seen, func(rel *Release) obj { return c.releaseJSON(c.repo, rel) })
}

func (c *call) maySeeDrafts() bool {
	if c.who.kind == asInstalled {
		return c.who.token.reaches(c.repo.id) && atLeast(c.who.token.granted()["contents"], "write")
	}
	return c.repo.roleOf(c.who.user) >= roleWrite
}

// latestRelease is the newest that is neither a draft nor a prerelease, by the date of its commit.
func latestRelease(c *call) reply {
	var latest *Release
	for _, rel := range c.repo.releases {
		if !rel.Draft && !rel.Prerelease && (latest == nil || !rel.Created.Before(latest.Created)) {
			latest = rel
		}
	}
	if latest == nil {
		return notFound()
	}
	return ok(c.releaseJSON(c.repo, latest))
}

func releaseByTag(c *call) reply {
	if rel := c.repo.published(c.path("tag")); rel != nil {
		return ok(c.releaseJSON(c.repo, rel))
	}
	return notFound()
}

// published is the release of a tag that everybody sees, or nil.
func (r *repository) published(tag string) *Release {
	for _, rel := range r.releases {
		if rel.Tag == tag && !rel.Draft {
			return rel
		}
	}
	return nil
}

// deleteRelease leaves the tag.
func deleteRelease(c *call, rel *Release) reply {
	c.repo.releases = slices.DeleteFunc(c.repo.releases, func(each *Release) bool { return each == rel })
	c.emitRelease(rel, "deleted", nil)
	return noContent()
}

// Releases lists all releases, drafts too, in the order in which they were made.
func (s *Sim) Releases(repo Repo) []Release {
	var out []Release
	s.look(repo, func(r *repository) {
		for _, rel := range r.releases {
			out = append(out, *rel)
		}
	})
	return out
}

package ghsim

import "net/http"

type releaseInput struct {
	Tag        *string `json:"tag_name"`
	Target     *string `json:"target_commitish"`
	Name       *string `json:"name"`
	Body       *string `json:"body"`
	Draft      *bool   `json:"draft"`
	Prerelease *bool   `json:"prerelease"`
}

// createRelease publishes at once unless it is to be a draft. Publishing makes the tag that is missing, and of one tag
// there is one published release.
func createRelease(c *call) reply {
	var in releaseInput
	switch {
	case !c.decode(&in):
		return badJSON()
	case deref(in.Tag) == "":
		return invalid(fieldError{Resource: "Release", Field: "tag_name", Code: "missing_field"})
	}
	rel := &Release{ID: c.nextID(), Target: c.repo.defaultBranch, Author: c.who.actor().login, Created: c.now, Updated: c.now}
	if rel.take(in); !rel.Draft {
		if refused := c.publish(rel); refused != nil {
			return *refused
		}
	}
	c.repo.releases = append(c.repo.releases, rel)
	c.emitRelease(rel, "created", nil)
	if !rel.Draft {
		c.emitPublished(rel)
	}
	return created(c.releaseJSON(c.repo, rel)).with("Location", c.releaseAPI(c.repo, rel))
}

func (rel *Release) take(in releaseInput) {
	set(&rel.Tag, in.Tag)
	set(&rel.Target, in.Target)
	set(&rel.Name, in.Name)
	set(&rel.Notes, in.Body)
	set(&rel.Draft, in.Draft)
	set(&rel.Prerelease, in.Prerelease)
}

// publish dates a release, and makes its tag if it is missing. It gives what refuses that, else nil.
func (c *call) publish(rel *Release) *reply {
	if other := c.repo.published(rel.Tag); other != nil && other.ID != rel.ID {
		r := invalid(fieldError{Resource: "Release", Field: "tag_name", Code: "already_exists"})
		return &r
	}
	ref := "refs/tags/" + rel.Tag
	if c.repo.refs[ref] == "" {
		if refused := c.tag(ref, rel.Target); refused != nil {
			return refused
		}
	}
	rel.Published = c.now
	if commits, err := c.logOf(c.repo, "--max-count=1", ref); err == nil && len(commits) == 1 {
		rel.Created = commits[0].Committer.When
	}
	return nil
}

// tag makes a tag at a branch or commit, of which Apps hear as of any other.
func (c *call) tag(ref, target string) *reply {
	sha := c.commitOf(c.repo, target)
	if sha == "" {
		r := invalid(fieldError{Resource: "Release", Field: "target_commitish", Code: "invalid"})
		return &r
	}
	if made := c.setRef(ref, zeroSHA, sha, created); made.status != http.StatusCreated {
		return &made
	}
	return nil
}

// editRelease publishes a draft that is none any more.
func editRelease(c *call, rel *Release) reply {
	var in releaseInput
	if !c.decode(&in) {
		return badJSON()
	}
	before := *rel
	next := *rel
	next.take(in)
	if next.Updated = c.now; before.Draft && !next.Draft {
		if refused := c.publish(&next); refused != nil {
			return *refused
		}
	}
	*rel = next
	c.emitRelease(rel, "edited", obj{"changes": rel.changes(before)})
	switch {
	case before.Draft && !rel.Draft:
		c.emitPublished(rel)
	case !before.Draft && rel.Draft:
		rel.Published = before.Published
		c.emitRelease(rel, "unpublished", nil)
	case before.Prerelease && !rel.Prerelease && !rel.Draft:
		c.emitRelease(rel, "released", nil)
	case !before.Prerelease && rel.Prerelease && !rel.Draft:
		c.emitRelease(rel, "prereleased", nil)
	}
	return ok(c.releaseJSON(c.repo, rel))
}

func (rel *Release) changes(before Release) obj {
	out := obj{}
	for field, was := range map[string][2]string{"name": {before.Name, rel.Name}, "body": {before.Notes, rel.Notes}, "tag_name": {before.Tag, rel.Tag}} {
		if was[0] != was[1] {
			out[field] = obj{"from": was[0]}
		}
	}
	return out
}

// emitPublished tells of a release that everybody sees now: that it is published, and of which kind it is.
func (c *call) emitPublished(rel *Release) {
	c.emitRelease(rel, "published", nil)
	kind := "released"
	if rel.Prerelease {
		kind = "prereleased"
	}
	c.emitRelease(rel, kind, nil)
}

func (c *call) emitRelease(rel *Release, action string, more obj) {
	c.emit(event{name: "release", action: action, repo: c.repo, actor: c.who.actor(), body: merged(more, obj{"release": c.releaseJSON(c.repo, rel)})})
}

// Publish makes a release, of a tag that is made at the tip of the default branch if it is not there.
func (p hands) Publish(repo Repo, tag string, prerelease bool) (int64, error) {
	var out struct{ ID int64 }
	err := p.Do(http.MethodPost, p.at(repo, "/releases"), obj{"tag_name": tag, "name": "Release " + tag, "prerelease": prerelease}, &out)
	return out.ID, err
}

// EditRelease changes fields of a release: tag_name, name, body, draft, prerelease.
func (p hands) EditRelease(repo Repo, id int64, fields map[string]any) error {
	return p.Do(http.MethodPatch, p.at(repo, "/releases/%d", id), fields, nil)
}

// DeleteRelease deletes a release and leaves its tag.
func (p hands) DeleteRelease(repo Repo, id int64) error {
	return p.Do(http.MethodDelete, p.at(repo, "/releases/%d", id), nil, nil)
}

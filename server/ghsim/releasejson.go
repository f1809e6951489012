package ghsim

import "fmt"

func (s *Sim) releaseAPI(r *repository, rel *Release) string {
	return fmt.Sprintf("%s/releases/%d", s.repoAPI(r), rel.ID)
}

func (s *Sim) releaseJSON(r *repository, rel *Release) obj {
	api := s.releaseAPI(r, rel)
	return obj{
		"url": api, "assets_url": api + "/assets", "upload_url": api + "/assets{?name,label}", "html_url": s.repoWeb(r) + "/releases/tag/" + rel.Tag,
		"id": rel.ID, "node_id": nodeID("RE", rel.ID), "tag_name": rel.Tag, "target_commitish": rel.Target, "name": rel.Name, "body": rel.Notes,
		"draft": rel.Draft, "prerelease": rel.Prerelease, "immutable": false, "author": s.userJSON(s.account(rel.Author)), "assets": []obj{},
		"created_at": stamp(rel.Created), "updated_at": stamp(rel.Updated), "published_at": stampOrNull(rel.Published),
		"tarball_url": s.sourceOf(r, rel, "tarball"), "zipball_url": s.sourceOf(r, rel, "zipball"),
	}
}

// sourceOf is null for a draft, which may have no tag.
func (s *Sim) sourceOf(r *repository, rel *Release, kind string) any {
	if rel.Draft {
		return nil
	}
	return s.repoAPI(r) + "/" + kind + "/" + rel.Tag
}

package ghsim

import (
	"slices"
	"time"
)

var reactionKinds = []string{"+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"}

type reaction struct {
	id      int64
	user    *user
	content string
	created time.Time
}

func listReactions(c *call, cm *comment) reply {
	content := c.query("content")
	found := slices.DeleteFunc(slices.Clone(cm.reactions), func(r *reaction) bool { return content != "" && r.content != content })
	return list(c, found, c.reactionJSON)
}

// createReaction answers 201 for a new reaction and 200 for one that the caller gave before. No event tells of it.
func createReaction(c *call, cm *comment) reply {
	var in struct {
		Content string `json:"content"`
	}
	switch {
	case !c.decode(&in):
		return badJSON()
	case !slices.Contains(reactionKinds, in.Content):
		return invalid(fieldError{Resource: "Reaction", Field: "content", Code: "invalid", Value: in.Content})
	}
	for _, r := range cm.reactions {
		if r.user == c.who.actor() && r.content == in.Content {
			return ok(c.reactionJSON(r))
		}
	}
	r := &reaction{id: c.nextID(), user: c.who.actor(), content: in.Content, created: c.now}
	cm.reactions = append(cm.reactions, r)
	return created(c.reactionJSON(r))
}

func (s *Sim) reactionJSON(r *reaction) obj {
	return obj{
		"id": r.id, "node_id": nodeID("REA", r.id), "user": s.userJSON(r.user), "content": r.content, "created_at": stamp(r.created),
	}
}

// reactionsJSON is the count of each kind.
func reactionsJSON(api string, all []*reaction) obj {
	out := obj{"url": api + "/reactions", "total_count": len(all)}
	for _, kind := range reactionKinds {
		n := 0
		for _, r := range all {
			if r.content == kind {
				n++
			}
		}
		out[kind] = n
	}
	return out
}

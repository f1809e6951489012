package ghsim

import (
	"net/url"
	"strings"
)

type label struct {
	id                       int64
	name, color, description string
}

// plainColor is that of a label that came to be by being put on an issue.
const plainColor = "ededed"

// labelsNamed finds or makes labels; GitHub makes those that are missing when one is put on an issue.
func (c *call) labelsNamed(names []string) []*label {
	var out []*label
	for _, name := range names {
		key := strings.ToLower(name)
		if c.repo.labels[key] == nil {
			c.repo.labels[key] = &label{id: c.nextID(), name: name, color: plainColor}
		}
		out = append(out, c.repo.labels[key])
	}
	return out
}

// labelNames reads labels given as names or as objects with a name.
func labelNames(in []any) []string {
	var out []string
	for _, entry := range in {
		name, is := entry.(string)
		if m, isObj := entry.(map[string]any); isObj {
			name, is = m["name"].(string)
		}
		if is && name != "" {
			out = append(out, name)
		}
	}
	return out
}

func (i *issue) hasLabel(name string) bool {
	for _, l := range i.labels {
		if strings.EqualFold(l.name, name) {
			return true
		}
	}
	return false
}

func addLabels(c *call, i *issue) reply {
	names, understood := c.labelsInBody()
	if !understood {
		return badJSON()
	}
	c.relabel(i, append(append([]*label{}, i.labels...), c.labelsNamed(names)...))
	return ok(c.labelsJSON(i))
}

// labelsInBody reads a list of labels, or an object with one.
func (c *call) labelsInBody() (names []string, understood bool) {
	var plain []any
	if c.decode(&plain) {
		return labelNames(plain), true
	}
	var in struct {
		Labels []any `json:"labels"`
	}
	understood = c.decode(&in)
	return labelNames(in.Labels), understood
}

// relabel sets the labels of an issue and sends labeled and unlabeled for the difference.
func (c *call) relabel(i *issue, wanted []*label) {
	before := &issue{labels: i.labels}
	after := &issue{}
	for _, l := range wanted {
		if !after.hasLabel(l.name) {
			after.labels = append(after.labels, l)
		}
	}
	i.labels = after.labels
	for _, l := range before.labels {
		if !after.hasLabel(l.name) {
			c.emitChange(i, "unlabeled", obj{"label": c.labelJSON(i.repo, l)})
		}
	}
	for _, l := range after.labels {
		if !before.hasLabel(l.name) {
			i.updated = c.now
			c.emitChange(i, "labeled", obj{"label": c.labelJSON(i.repo, l)})
		}
	}
}

func (s *Sim) labelsJSON(i *issue) []obj {
	out := []obj{}
	for _, l := range i.labels {
		out = append(out, s.labelJSON(i.repo, l))
	}
	return out
}

func (s *Sim) labelJSON(r *repository, l *label) obj {
	return obj{
		"id": l.id, "node_id": nodeID("LA", l.id), "url": s.repoAPI(r) + "/labels/" + url.PathEscape(l.name), "name": l.name,
		"color": l.color, "default": false, "description": l.description,
	}
}

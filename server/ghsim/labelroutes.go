package ghsim

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxLabelName is in characters.
const maxLabelName = 50

func labelRoutes() []route {
	const of, all = "/repos/{owner}/{repo}/issues/{issue_number}/labels", "/repos/{owner}/{repo}/labels"
	either := "issues=write; pull_requests=write"
	return []route{
		{pattern: "GET " + of, docs: "issues/labels#list-labels-for-an-issue", needs: "issues=read; pull_requests=read", role: roleRead,
			run: withIssue(func(c *call, i *issue) reply {
				return list(c, i.labels, func(l *label) obj { return c.labelJSON(i.repo, l) })
			})},
		{pattern: "PUT " + of, docs: "issues/labels#set-labels-for-an-issue", needs: either, role: roleTriage, run: withIssue(setLabels)},
		{pattern: "DELETE " + of + "/{name}", docs: "issues/labels#remove-a-label-from-an-issue", needs: either, role: roleTriage, run: withIssue(removeLabel)},
		{pattern: "GET " + all, docs: "issues/labels#list-labels-for-a-repository", needs: "issues=read; pull_requests=read", role: roleRead, run: listLabels},
		{pattern: "POST " + all, docs: "issues/labels#create-a-label", needs: either, role: roleWrite, run: createLabel},
		{pattern: "GET " + all + "/{name}", docs: "issues/labels#get-a-label", needs: "issues=read; pull_requests=read", role: roleRead, run: getLabel},
	}
}

func setLabels(c *call, i *issue) reply {
	names, understood := c.labelsInBody()
	if !understood {
		return badJSON()
	}
	c.relabel(i, c.labelsNamed(names))
	return ok(c.labelsJSON(i))
}

func removeLabel(c *call, i *issue) reply {
	name := c.path("name")
	if !i.hasLabel(name) {
		return fail(http.StatusNotFound, "Label does not exist")
	}
	c.relabel(i, slices.DeleteFunc(slices.Clone(i.labels), func(l *label) bool { return strings.EqualFold(l.name, name) }))
	return ok(c.labelsJSON(i))
}

func listLabels(c *call) reply {
	var all []*label
	for _, key := range sortedKeys(c.repo.labels) {
		all = append(all, c.repo.labels[key])
	}
	return list(c, all, func(l *label) obj { return c.labelJSON(c.repo, l) })
}

func getLabel(c *call) reply {
	l := c.repo.labels[strings.ToLower(c.path("name"))]
	if l == nil {
		return notFound()
	}
	return ok(c.labelJSON(c.repo, l))
}

// createLabel refuses a name that is there already, in whatever case: two who make it at once get one 422.
func createLabel(c *call) reply {
	var in struct {
		Name        string  `json:"name"`
		Color       *string `json:"color"`
		Description *string `json:"description"`
	}
	switch {
	case !c.decode(&in):
		return badJSON()
	case strings.TrimSpace(in.Name) == "":
		return invalid(fieldError{Resource: "Label", Field: "name", Code: "missing_field"})
	case utf8.RuneCountInString(in.Name) > maxLabelName:
		return invalid(custom("Label", "name", "name is too long (maximum is 50 characters)"))
	case !isColor(deref(in.Color)):
		return invalid(fieldError{Resource: "Label", Field: "color", Code: "invalid"})
	}
	key := strings.ToLower(in.Name)
	if c.repo.labels[key] != nil {
		return invalid(fieldError{Resource: "Label", Field: "name", Code: "already_exists"})
	}
	l := &label{id: c.nextID(), name: in.Name, color: cmp.Or(deref(in.Color), plainColor), description: deref(in.Description)}
	c.repo.labels[key] = l
	return created(c.labelJSON(c.repo, l)).with("Location", c.repoAPI(c.repo)+"/labels/"+in.Name)
}

// isColor takes six hexadecimal digits, or nothing for the default.
func isColor(text string) bool {
	return text == "" || len(text) == 6 && strings.Trim(strings.ToLower(text), "0123456789abcdef") == ""
}

package ghsim

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

type deploymentInput struct {
	Ref         string          `json:"ref"`
	Task        *string         `json:"task"`
	AutoMerge   *bool           `json:"auto_merge"`
	Contexts    *[]string       `json:"required_contexts"`
	Payload     json.RawMessage `json:"payload"`
	Environment *string         `json:"environment"`
	Description *string         `json:"description"`
	Transient   *bool           `json:"transient_environment"`
	Production  *bool           `json:"production_environment"`
}

// createDeployment by default merges the default branch into the ref, which answers 202 without a deployment, and wants all
// statuses and checks of the commit to have succeeded.
func createDeployment(c *call) reply {
	var in deploymentInput
	if !c.decode(&in) {
		return badJSON()
	}
	sha := c.commitOf(c.repo, in.Ref)
	if in.Ref == "" || sha == "" {
		return failf(http.StatusUnprocessableEntity, "No ref found for: %s", in.Ref)
	}
	if in.AutoMerge == nil || *in.AutoMerge {
		if answer := c.mergeDefault(in.Ref); answer != nil {
			return *answer
		}
	}
	if missing := c.missingContexts(in.Contexts, sha); len(missing) > 0 {
		return reply{status: http.StatusConflict, body: obj{
			"message": "Conflict: Commit status checks failed for " + in.Ref + ".", "status": "409",
			"errors": []obj{{"resource": "Deployment", "field": "required_contexts", "code": "invalid", "contexts": missing}},
		}}
	}
	d := c.newDeployment(in, sha)
	c.repo.deployments = append(c.repo.deployments, d)
	c.emit(event{name: "deployment", action: "created", repo: c.repo, actor: c.who.actor(), body: obj{
		"deployment": c.deploymentJSON(c.repo, d), "workflow": nil, "workflow_run": nil,
	}})
	return created(c.deploymentJSON(c.repo, d)).with("Location", c.deploymentAPI(c.repo, d))
}

func (c *call) newDeployment(in deploymentInput, sha string) *Deployment {
	d := &Deployment{
		ID: c.nextID(), SHA: sha, Ref: in.Ref, Task: cmp.Or(deref(in.Task), "deploy"), Environment: cmp.Or(deref(in.Environment), "production"),
		Description: deref(in.Description), Payload: in.Payload, Creator: c.who.actor().login, Created: c.now, Updated: c.now,
	}
	d.Production = d.Environment == "production"
	set(&d.Production, in.Production)
	set(&d.Transient, in.Transient)
	if len(d.Payload) == 0 || string(d.Payload) == "null" {
		d.Payload = json.RawMessage("{}")
	}
	return d
}

// mergeDefault merges the default branch into a branch that lacks some of it; nil when there is nothing to do.
func (c *call) mergeDefault(ref string) *reply {
	name := strings.TrimPrefix(ref, "refs/heads/")
	head, tip := c.repo.refs["refs/heads/"+name], c.repo.refs["refs/heads/"+c.repo.defaultBranch]
	if head == "" || tip == "" || c.contains(c.repo, head, tip) {
		return nil
	}
	tree, err := c.mergeTree(c.repo, head, tip)
	if err != nil {
		r := failf(http.StatusConflict, "Conflict merging %s into %s.", c.repo.defaultBranch, name)
		return &r
	}
	by := c.signatureOf(c.who.actor())
	sha, err := c.commitTree(c.repo, tree, "Merge "+c.repo.defaultBranch+" into "+name, by, by, head, tip)
	if err == nil {
		err = c.updateRef(c.repo, "refs/heads/"+name, sha, head)
	}
	if err == nil {
		err = c.refsChanged(c.repo, c.who.actor())
	}
	r := reply{status: http.StatusAccepted, body: obj{"message": "Auto-merged " + c.repo.defaultBranch + " into " + name + " on deployment."}}
	if err != nil {
		r = failf(http.StatusInternalServerError, "%v", err)
	}
	return &r
}

// missingContexts are the contexts that have not succeeded: of the named ones, or without any list of all that were reported.
func (c *call) missingContexts(wanted *[]string, sha string) []obj {
	var names []string
	if wanted != nil {
		names = *wanted
	} else {
		for _, status := range c.repo.newestStatuses(sha) {
			names = append(names, status.Context)
		}
		for _, run := range byNumber(c.repo.runs) {
			if run.suite.sha == sha && !slices.Contains(names, run.name) {
				names = append(names, run.name)
			}
		}
	}
	var out []obj
	for _, name := range names {
		if state := c.repo.stateOf(RequiredCheck{Name: name}, sha); state != checkPassed {
			out = append(out, obj{"context": name, "state": state})
		}
	}
	return out
}

package ghsim

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

var deploymentStates = []string{"error", "failure", "inactive", "in_progress", "queued", "pending", "success"}

type deploymentStatusInput struct {
	State          string  `json:"state"`
	TargetURL      *string `json:"target_url"`
	LogURL         *string `json:"log_url"`
	Description    *string `json:"description"`
	Environment    *string `json:"environment"`
	EnvironmentURL *string `json:"environment_url"`
	AutoInactive   *bool   `json:"auto_inactive"`
}

// createDeploymentStatus also ends, unless asked not to, the earlier deployments of the environment.
func createDeploymentStatus(c *call, d *Deployment) reply {
	var in deploymentStatusInput
	switch {
	case !c.decode(&in):
		return badJSON()
	case !slices.Contains(deploymentStates, in.State):
		return invalid(custom("DeploymentStatus", "state", "state is not included in the list"))
	case utf8.RuneCountInString(deref(in.Description)) > maxStatusDescription:
		return invalid(custom("DeploymentStatus", "description", "description is too long (maximum is 140 characters)"))
	}
	status := &DeploymentStatus{
		State: in.State, Description: deref(in.Description), Environment: cmp.Or(deref(in.Environment), d.Environment),
		LogURL: cmp.Or(deref(in.LogURL), deref(in.TargetURL)), EnvironmentURL: deref(in.EnvironmentURL),
	}
	d.Environment = status.Environment
	c.addDeploymentStatus(d, status)
	if in.State == "success" && (in.AutoInactive == nil || *in.AutoInactive) {
		c.endEarlier(d)
	}
	return created(c.deploymentStatusJSON(d, status)).with("Location", c.deploymentStatusAPI(d, status))
}

// addDeploymentStatus tells of every state but inactive.
func (c *call) addDeploymentStatus(d *Deployment, status *DeploymentStatus) {
	status.ID, status.Creator, status.Created = c.nextID(), c.who.actor().login, c.now
	d.Statuses, d.Updated = append(d.Statuses, status), c.now
	if status.State == "inactive" {
		return
	}
	c.emit(event{name: "deployment_status", action: "created", repo: c.repo, actor: c.who.actor(), body: obj{
		"deployment_status": c.deploymentStatusJSON(d, status), "deployment": c.deploymentJSON(c.repo, d), "check_run": nil, "workflow_run": nil,
	}})
}

// endEarlier makes earlier successful deployments of the environment inactive, but for transient ones and for production.
func (c *call) endEarlier(d *Deployment) {
	for _, other := range c.repo.deployments {
		if other != d && other.Environment == d.Environment && !other.Transient && !other.Production && other.state() == "success" {
			c.addDeploymentStatus(other, &DeploymentStatus{State: "inactive", Environment: other.Environment})
		}
	}
}

// state is the newest one, "" before any.
func (d *Deployment) state() string {
	if len(d.Statuses) == 0 {
		return ""
	}
	return d.Statuses[len(d.Statuses)-1].State
}

func listDeploymentStatuses(c *call, d *Deployment) reply {
	newest := slices.Clone(d.Statuses)
	slices.Reverse(newest)
	return list(c, newest, func(status *DeploymentStatus) obj { return c.deploymentStatusJSON(d, status) })
}

func getDeploymentStatus(c *call, d *Deployment) reply {
	for _, status := range d.Statuses {
		if status.ID == c.id("status_id") {
			return ok(c.deploymentStatusJSON(d, status))
		}
	}
	return notFound()
}

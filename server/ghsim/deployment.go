package ghsim

import (
	"encoding/json"
	"slices"
	"time"
)

// Deployment is a record that a commit was, or is to be, deployed to an environment.
type Deployment struct {
	ID                          int64
	SHA, Ref, Task, Environment string
	Description                 string
	Payload                     json.RawMessage
	Transient, Production       bool
	Creator                     string // a login
	Created, Updated            time.Time
	Statuses                    []*DeploymentStatus // oldest first
}

// DeploymentStatus is one state of a deployment; the newest counts.
type DeploymentStatus struct {
	ID int64
	// State is error, failure, inactive, in_progress, queued, pending or success.
	State, Description, Environment string
	LogURL, EnvironmentURL          string
	Creator                         string // a login
	Created                         time.Time
}

func deploymentRoutes() []route {
	const all, one = "/repos/{owner}/{repo}/deployments", "/repos/{owner}/{repo}/deployments/{deployment_id}"
	return []route{
		{pattern: "GET " + all, docs: "deployments/deployments#list-deployments", needs: "deployments=read", role: roleRead, run: listDeployments},
		{pattern: "POST " + all, docs: "deployments/deployments#create-a-deployment", needs: "deployments=write", role: roleWrite, refs: true, run: createDeployment},
		{pattern: "GET " + one, docs: "deployments/deployments#get-a-deployment", needs: "deployments=read", role: roleRead,
			run: withDeployment(func(c *call, d *Deployment) reply { return ok(c.deploymentJSON(c.repo, d)) })},
		{pattern: "GET " + one + "/statuses", docs: "deployments/statuses#list-deployment-statuses", needs: "deployments=read", role: roleRead,
			run: withDeployment(listDeploymentStatuses)},
		{pattern: "POST " + one + "/statuses", docs: "deployments/statuses#create-a-deployment-status", needs: "deployments=write", role: roleWrite,
			run: withDeployment(createDeploymentStatus)},
		{pattern: "GET " + one + "/statuses/{status_id}", docs: "deployments/statuses#get-a-deployment-status", needs: "deployments=read", role: roleRead,
			run: withDeployment(getDeploymentStatus)},
	}
}

func withDeployment(run func(*call, *Deployment) reply) func(*call) reply {
	return func(c *call) reply {
		id := c.id("deployment_id")
		at := slices.IndexFunc(c.repo.deployments, func(d *Deployment) bool { return d.ID == id })
		if at < 0 {
			return notFound()
		}
		return run(c, c.repo.deployments[at])
	}
}

func listDeployments(c *call) reply {
	var found []*Deployment
	for _, d := range slices.Backward(c.repo.deployments) {
		fits := true
		for query, value := range map[string]string{"sha": d.SHA, "ref": d.Ref, "task": d.Task, "environment": d.Environment} {
			wanted := c.query(query)
			fits = fits && (wanted == "" || wanted == "none" || wanted == value)
		}
		if fits {
			found = append(found, d)
		}
	}
	return list(c, found, func(d *Deployment) obj { return c.deploymentJSON(c.repo, d) })
}

package ghsim

import "fmt"

func (s *Sim) deploymentAPI(r *repository, d *Deployment) string {
	return fmt.Sprintf("%s/deployments/%d", s.repoAPI(r), d.ID)
}

func (s *Sim) deploymentJSON(r *repository, d *Deployment) obj {
	api := s.deploymentAPI(r, d)
	return obj{
		"url": api, "id": d.ID, "node_id": nodeID("DE", d.ID), "task": d.Task, "original_environment": d.Environment, "environment": d.Environment,
		"description": textOrNull(d.Description), "created_at": stamp(d.Created), "updated_at": stamp(d.Updated), "statuses_url": api + "/statuses",
		"repository_url": s.repoAPI(r), "creator": s.userOrNull(s.account(d.Creator)), "sha": d.SHA, "ref": d.Ref, "payload": d.Payload,
		"transient_environment": d.Transient, "production_environment": d.Production, "performed_via_github_app": s.viaApp(s.account(d.Creator)),
	}
}

func (c *call) deploymentStatusAPI(d *Deployment, status *DeploymentStatus) string {
	return fmt.Sprintf("%s/statuses/%d", c.deploymentAPI(c.repo, d), status.ID)
}

func (c *call) deploymentStatusJSON(d *Deployment, status *DeploymentStatus) obj {
	return obj{
		"url": c.deploymentStatusAPI(d, status), "id": status.ID, "node_id": nodeID("DES", status.ID), "state": status.State,
		"description": status.Description, "environment": status.Environment, "target_url": status.LogURL, "created_at": stamp(status.Created),
		"updated_at": stamp(status.Created), "deployment_url": c.deploymentAPI(c.repo, d), "repository_url": c.repoAPI(c.repo),
		"environment_url": status.EnvironmentURL, "log_url": status.LogURL, "creator": c.userOrNull(c.account(status.Creator)),
		"performed_via_github_app": c.viaApp(c.account(status.Creator)),
	}
}

// Deployments lists all deployments with their statuses, oldest first.
func (s *Sim) Deployments(repo Repo) []Deployment {
	var out []Deployment
	s.look(repo, func(r *repository) {
		for _, d := range r.deployments {
			shown := *d
			shown.Statuses = nil
			for _, status := range d.Statuses {
				one := *status
				shown.Statuses = append(shown.Statuses, &one)
			}
			out = append(out, shown)
		}
	})
	return out
}

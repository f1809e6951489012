package promotion

// Deployment is the record of a landed promotion among GitHub's Deployments. It
// is made once, at the landing, in the environment that the config named then.
type Deployment struct {
	Environment string `json:"environment"`
	ID          int64  `json:"id,omitempty"`    // 0: not made yet
	State       string `json:"state,omitempty"` // GitHub's, as told last; empty: none yet
}

// refusedDeployments is the key of the problem that the app may not write
// Deployments. While it stands none are tried: they are a record, and hold up
// nothing. It goes, as all that is blocked, when the owner accepts permissions.
const refusedDeployments = "blocked/deployments"

// recordDeployment takes that a promotion's landing shall be shown as a
// Deployment, where its stage names an environment.
func (c *core) recordDeployment(p *Promotion) {
	stage := c.state.Local.Config[p.Pipeline].Stage(p.Stage)
	if p.Landed == "" || p.Deployment != nil || stage == nil || stage.Environment == "" || c.hasProblem(refusedDeployments) {
		return
	}
	p.Deployment = &Deployment{Environment: stage.Environment}
}

func (c *core) hasProblem(key string) bool {
	for _, p := range c.state.Problems {
		if p.Key == key {
			return true
		}
	}
	return false
}

// deploymentState is how a landed promotion stands, in GitHub's words for
// Deployments. One that ended before it was verified is an error, and no failure.
func (p *Promotion) deploymentState() string {
	switch {
	case p.Verify != nil:
		return "in_progress"
	case p.Phase == PhaseSucceeded:
		return "success"
	case p.Phase == PhaseFailed:
		return "failure"
	case p.Phase.Terminal():
		return "error"
	}
	return ""
}

// deploy records the effect of the promotion's Deployment, when what that says
// differs from what it should say.
func (c *core) deploy(p *Promotion) {
	if p.Deployment == nil {
		return
	}
	state := p.deploymentState()
	if state == "" || state == p.Deployment.State {
		return
	}
	c.effect(Effect{
		ID: "deployment/" + p.Name, Kind: KindDeployment, Pipeline: p.Pipeline, Promotion: p.Name, SHA: p.Landed, Text: state, Look: p.Look,
	})
}

// deployed takes that a Deployment was made, or got another state.
func (c *core) deployed(e *Effect, r Result) {
	if p := c.promotion(e.Promotion); p != nil && p.Deployment != nil {
		now := *p.Deployment
		now.ID, now.State = r.DeploymentID, e.Text
		c.own(p).Deployment = &now
	}
}

// notDeployed takes that it could not be: the promotion is what counts, and goes
// on without a record there.
func (c *core) notDeployed(e *Effect, err error) {
	if p := c.promotion(e.Promotion); p != nil {
		c.own(p).Deployment = nil
	}
	if lacks(err) {
		c.problem(Problem{Key: refusedDeployments, Text: "Deployments are left out: " + err.Error()})
	}
}

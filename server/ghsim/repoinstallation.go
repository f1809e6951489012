package ghsim

// repoInstallationRoute tells an App by which of its installations it reaches a repository.
func repoInstallationRoute() route {
	return route{
		pattern: "GET /repos/{owner}/{repo}/installation", docs: "apps/apps#get-a-repository-installation-for-the-authenticated-app",
		auth: authJWT, free: true,
		run: func(c *call) reply {
			inst := c.installedOn(c.repo)
			if inst == nil {
				return notFound()
			}
			return ok(c.installationJSON(inst))
		},
	}
}

// installedOn is the calling App's installation that has the repository; nil: none has.
func (c *call) installedOn(r *repository) *installation {
	if c.who.app == nil {
		return nil
	}
	for _, inst := range c.installationsOf(c.who.app) {
		if inst.repos[r.id] {
			return inst
		}
	}
	return nil
}

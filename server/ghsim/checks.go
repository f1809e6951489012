package ghsim

import (
	"net/http"
	"slices"
	"time"
)

type checkRun struct {
	id            int64
	suite         *checkSuite
	name          string
	externalID    string
	detailsURL    string
	status        string
	conclusion    string
	started       time.Time
	completed     time.Time
	title         *string
	summary, text *string
	annotations   []map[string]any
	actions       []CheckAction
}

func checkRoutes() []route {
	const runs = "/repos/{owner}/{repo}/check-runs"
	return []route{
		{pattern: "POST " + runs, docs: "checks/runs#create-a-check-run", needs: "checks=write", role: roleRead, run: createRun},
		{pattern: "PATCH " + runs + "/{check_run_id}", docs: "checks/runs#update-a-check-run", needs: "checks=write", role: roleRead, run: updateRun},
		{pattern: "GET " + runs + "/{check_run_id}", docs: "checks/runs#get-a-check-run", needs: "checks=read", role: roleRead, run: getRun},
		{pattern: "GET /repos/{owner}/{repo}/commits/{ref}/check-runs", docs: "checks/runs#list-check-runs-for-a-git-reference", needs: "checks=read",
			role: roleRead, run: ofCommit(listRuns)},
	}
}

func onlyApps() reply { return fail(http.StatusForbidden, "You must authenticate via a GitHub App.") }

func createRun(c *call) reply {
	var in checkInput
	if c.who.kind != asInstalled {
		return onlyApps()
	}
	if !c.decode(&in) {
		return badJSON()
	}
	if bad := in.problems(true); len(bad) > 0 {
		return invalid(bad...)
	}
	sha := ""
	if shaPattern.MatchString(in.HeadSHA) {
		sha = c.commitOf(c.repo, in.HeadSHA)
	}
	if sha == "" {
		return failf(http.StatusUnprocessableEntity, "No commit found for SHA: %s", in.HeadSHA)
	}
	run := &checkRun{id: c.nextID(), suite: c.suiteFor(c.who.app, c.repo, sha), name: *in.Name, status: "queued", started: c.now}
	c.forgetOldRuns(run.suite, run.name)
	run.detailsURL = c.web("/apps/" + c.who.app.slug)
	c.repo.runs[run.id] = run
	run.apply(in, c.now)
	run.suite.asked = false
	c.emitRun(run, "created", obj{}, c.who.actor())
	c.afterRun(run, in)
	return created(c.runJSON(run)).with("Location", c.runAPI(run))
}

func updateRun(c *call) reply {
	var in checkInput
	run := c.repo.runs[c.id("check_run_id")]
	switch {
	case c.who.kind != asInstalled:
		return onlyApps()
	case run == nil:
		return notFound()
	case run.suite.app != c.who.app:
		return failf(http.StatusForbidden, "Invalid app_id `%d` - check run can only be modified by the GitHub App that created it.", c.who.app.id)
	case !c.decode(&in):
		return badJSON()
	}
	if bad := in.problems(false); len(bad) > 0 {
		return invalid(bad...)
	}
	run.apply(in, c.now)
	run.suite.asked = false
	c.afterRun(run, in)
	return ok(c.runJSON(run))
}

// afterRun tells of a completion; every write that states one counts as such.
func (c *call) afterRun(run *checkRun, in checkInput) {
	if run.status != "completed" || in.Conclusion == nil {
		return
	}
	c.emitRun(run, "completed", obj{}, c.who.actor())
	c.settleSuite(run.suite, c.who.actor())
}

// apply takes over what the input states. A conclusion completes the run; another status reopens it.
func (run *checkRun) apply(in checkInput, now time.Time) {
	set(&run.name, in.Name)
	set(&run.externalID, in.ExternalID)
	set(&run.detailsURL, in.DetailsURL)
	set(&run.started, in.StartedAt)
	if in.Status != nil && *in.Status != "completed" {
		run.status, run.conclusion, run.completed = *in.Status, "", time.Time{}
	}
	if in.Conclusion != nil {
		run.status, run.conclusion, run.completed = "completed", *in.Conclusion, now
		set(&run.completed, in.CompletedAt)
	}
	if in.Output != nil {
		run.title, run.summary, run.text = in.Output.Title, in.Output.Summary, in.Output.Text
		run.annotations = append(run.annotations, in.Output.Annotations...)
	}
	if in.Actions != nil {
		run.actions = slices.Clone(*in.Actions)
	}
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

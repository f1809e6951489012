package ghsim

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
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
			role: roleRead, run: listRuns},
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
	run.detailsURL = c.web("/apps/" + c.who.app.slug)
	c.repo.runs[run.id] = run
	run.apply(in, c.now)
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

func getRun(c *call) reply {
	run := c.repo.runs[c.id("check_run_id")]
	if run == nil {
		return notFound()
	}
	return ok(c.runJSON(run))
}

func listRuns(c *call) reply {
	sha := c.commitOf(c.repo, c.path("ref"))
	if sha == "" {
		return failf(http.StatusUnprocessableEntity, "No commit found for SHA: %s", c.path("ref"))
	}
	var found []*checkRun
	for _, run := range c.repo.runs {
		if run.suite.sha == sha && c.runListed(run) {
			found = append(found, run)
		}
	}
	slices.SortFunc(found, func(a, b *checkRun) int { return int(b.id - a.id) })
	if c.query("filter") != "all" {
		found = newestOfName(found)
	}
	return counted(c, "check_runs", found, c.runJSON)
}

func (c *call) runListed(run *checkRun) bool {
	name, status, app := c.query("check_name"), c.query("status"), c.query("app_id")
	return (name == "" || run.name == name) && (status == "" || run.status == status) &&
		(app == "" || strconv.FormatInt(run.suite.app.id, 10) == app)
}

// newestOfName keeps, of each App's runs of one name, the first of a list that is newest first.
func newestOfName(runs []*checkRun) []*checkRun {
	type key struct {
		app  int64
		name string
	}
	seen := map[key]bool{}
	return slices.DeleteFunc(runs, func(run *checkRun) bool {
		k := key{run.suite.app.id, run.name}
		known := seen[k]
		seen[k] = true
		return known
	})
}

func (s *Sim) runAPI(run *checkRun) string {
	return fmt.Sprintf("%s/check-runs/%d", s.repoAPI(run.suite.repo), run.id)
}

func (s *Sim) runJSON(run *checkRun) obj {
	api := s.runAPI(run)
	return obj{
		"id": run.id, "node_id": nodeID("CR", run.id), "head_sha": run.suite.sha, "external_id": run.externalID, "url": api,
		"html_url": fmt.Sprintf("%s/runs/%d", s.repoWeb(run.suite.repo), run.id), "details_url": run.detailsURL, "status": run.status,
		"conclusion": textOrNull(run.conclusion), "started_at": stampOrNull(run.started), "completed_at": stampOrNull(run.completed), "name": run.name,
		"output": obj{
			"title": run.title, "summary": run.summary, "text": run.text, "annotations_count": len(run.annotations), "annotations_url": api + "/annotations",
		},
		"check_suite": obj{"id": run.suite.id}, "app": s.appJSON(run.suite.app), "pull_requests": s.pullsAt(run.suite.repo, run.suite.sha),
	}
}

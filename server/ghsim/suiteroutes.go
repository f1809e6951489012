package ghsim

import (
	"net/http"
	"slices"
	"strconv"
)

func suiteRoutes() []route {
	const one, run = "/repos/{owner}/{repo}/check-suites/{check_suite_id}", "/repos/{owner}/{repo}/check-runs/{check_run_id}"
	return []route{
		{pattern: "GET " + one, docs: "checks/suites#get-a-check-suite", needs: "checks=read", role: roleRead,
			run: withSuite(func(c *call, suite *checkSuite) reply { return ok(c.fullSuiteJSON(suite)) })},
		{pattern: "GET " + one + "/check-runs", docs: "checks/runs#list-check-runs-in-a-check-suite", needs: "checks=read", role: roleRead,
			run: withSuite(func(c *call, suite *checkSuite) reply {
				return c.listRunsWhere(func(run *checkRun) bool { return run.suite == suite })
			})},
		{pattern: "POST " + one + "/rerequest", docs: "checks/suites#rerequest-a-check-suite", needs: "checks=write", role: roleWrite,
			run: withSuite(rerequestSuite)},
		{pattern: "GET /repos/{owner}/{repo}/commits/{ref}/check-suites", docs: "checks/suites#list-check-suites-for-a-git-reference", needs: "checks=read",
			role: roleRead, run: ofCommit(listSuites)},
		{pattern: "POST " + run + "/rerequest", docs: "checks/runs#rerequest-a-check-run", needs: "checks=write", role: roleWrite, run: rerequestRun},
		{pattern: "GET " + run + "/annotations", docs: "checks/runs#list-check-run-annotations", needs: "checks=read", role: roleRead, run: listAnnotations},
	}
}

func withSuite(run func(*call, *checkSuite) reply) func(*call) reply {
	return func(c *call) reply {
		suite := c.repo.suites[c.id("check_suite_id")]
		if suite == nil {
			return notFound()
		}
		return run(c, suite)
	}
}

func listSuites(c *call, sha string) reply {
	app, name := c.query("app_id"), c.query("check_name")
	var found []*checkSuite
	for _, suite := range byNumber(c.repo.suites) {
		if suite.sha == sha && (app == "" || strconv.FormatInt(suite.app.id, 10) == app) && (name == "" || suite.hasRun(name)) {
			found = append(found, suite)
		}
	}
	return counted(c, "check_suites", found, c.fullSuiteJSON)
}

func (suite *checkSuite) hasRun(name string) bool {
	for _, run := range suite.repo.runs {
		if run.suite == suite && run.name == name {
			return true
		}
	}
	return false
}

// rerequestSuite asks the App to check everything of a commit again. The suite is queued until the App writes a run.
func rerequestSuite(c *call, suite *checkSuite) reply {
	c.emitSuite(suite, "rerequested", c.who.actor()) // the payload still has the old conclusion
	suite.asked = true
	return created(obj{})
}

// rerequestRun asks the App for one check again. It touches the suite and not the run: the App updates that or makes another.
func rerequestRun(c *call) reply {
	run := c.repo.runs[c.id("check_run_id")]
	switch {
	case run == nil:
		return notFound()
	case c.who.kind == asInstalled && run.suite.app != c.who.app:
		return failf(http.StatusForbidden, "Invalid app_id `%d` - check run can only be modified by the GitHub App that created it.", c.who.app.id)
	case run.status != "completed":
		return fail(http.StatusUnprocessableEntity, "Check run is not completed and cannot be rerequested.")
	}
	c.emitRun(run, "rerequested", obj{}, c.who.actor()) // the payload still has the suite's old conclusion
	run.suite.asked = true
	return created(obj{})
}

func listAnnotations(c *call) reply {
	run := c.repo.runs[c.id("check_run_id")]
	if run == nil {
		return notFound()
	}
	return list(c, run.annotations, func(in map[string]any) obj {
		return merged(obj{"start_column": nil, "end_column": nil, "title": nil, "raw_details": nil}, in, obj{"blob_href": c.repoWeb(c.repo) + "/blob/" + run.suite.sha})
	})
}

// fullSuiteJSON is a suite as its own routes show it.
func (c *call) fullSuiteJSON(suite *checkSuite) obj {
	return merged(c.suitePayload(suite), obj{"repository": c.repoJSON(suite.repo)})
}

// forgetOldRuns makes room for one more run of a name.
func (s *Sim) forgetOldRuns(suite *checkSuite, name string) {
	var ids []int64
	for id, run := range suite.repo.runs {
		if run.suite == suite && run.name == name {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for len(ids) >= s.keeps.runsOfName {
		delete(suite.repo.runs, ids[0])
		ids = ids[1:]
	}
}

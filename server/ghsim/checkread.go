package ghsim

import (
	"fmt"
	"slices"
	"strconv"
)

func getRun(c *call) reply {
	run := c.repo.runs[c.id("check_run_id")]
	if run == nil {
		return notFound()
	}
	return ok(c.runJSON(run))
}

func listRuns(c *call, sha string) reply {
	return c.listRunsWhere(func(run *checkRun) bool { return run.suite.sha == sha })
}

// listRunsWhere applies the filters of the query, and by default keeps the newest run of each name.
func (c *call) listRunsWhere(which func(*checkRun) bool) reply {
	var found []*checkRun
	for _, run := range c.repo.runs {
		if which(run) && c.runListed(run) {
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

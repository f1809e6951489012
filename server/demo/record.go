package demo

import (
	"fmt"
	"slices"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/runner"
)

// readPipelines reads the pipeline files of the default branch.
func (r *reader) readPipelines(v *view) error {
	tip := v.tips[v.repo.DefaultBranch]
	if tip == r.last.tips[v.repo.DefaultBranch] && v.pipelines != nil {
		return nil
	}
	files, err := pipelineFiles(r.w.sim, r.w.repo, tip)
	if err != nil {
		return fmt.Errorf("read the pipeline files of %s: %w", v.repo.FullName(), err)
	}
	read, _ := config.ParseAllWith(files, runner.Check)
	v.pipelines = read.Pipelines
	return nil
}

func pipelineFiles(sim *ghsim.Sim, repo ghsim.Repo, commit string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, dir := range []string{".github", ".github/stagecoach"} {
		entries, err := sim.Tree(repo, commit, dir)
		if err != nil {
			continue // there is no such folder
		}
		for _, e := range entries {
			path := dir + "/" + e.Name
			if _, ok := config.PipelineName(path); !ok || e.Kind != "blob" {
				continue
			}
			content, err := sim.File(repo, commit, path)
			if err != nil {
				return nil, err
			}
			files[path] = []byte(content)
		}
	}
	return files, nil
}

// readIssue finds the tracking issue, and reads the record in it when it changed.
func (r *reader) readIssue(v *view) {
	for _, i := range r.w.sim.Issues(r.w.repo) {
		if i.Author == r.w.app.Bot && slices.Contains(i.Labels, label) {
			v.issue = i
		}
	}
	if v.issue.Number == 0 || v.issue.Body == r.body {
		return
	}
	parts := map[string]string{}
	for _, c := range r.w.sim.Comments(r.w.repo, v.issue.Number) {
		if hash, ok := ledger.PartHash(c.Body); ok {
			parts[hash] = c.Body
		}
	}
	part := func(hash string) (string, bool) { text, ok := parts[hash]; return text, ok }
	keys := append([][]byte{r.w.settings.LedgerKey}, r.w.settings.OldLedgerKeys...)
	state, err := ledger.Decode(v.issue.Body, part, keys, r.w.repo.ID, v.issue.Number, true)
	if r.failed = err; err == nil {
		v.state, r.body = state, v.issue.Body
	}
}

func (r *reader) readComments(v *view) {
	numbers := []int{}
	for _, pr := range v.pulls {
		numbers = append(numbers, pr.Number)
	}
	for _, i := range r.w.sim.Issues(r.w.repo) {
		numbers = append(numbers, i.Number)
	}
	for _, number := range numbers {
		for _, c := range r.w.sim.Comments(r.w.repo, number) {
			if c.Author != r.w.app.Bot {
				v.comments = append(v.comments, comment{c, number})
			}
		}
	}
	slices.SortFunc(v.comments, func(a, b comment) int { return int(a.ID - b.ID) })
}

package demo

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// label marks the tracking issue.
const label = "stagecoach"

// reader reads views, and remembers what they showed. One goroutine uses it.
type reader struct {
	w      *world
	start  map[string]string // the branches when the demo began
	last   *view
	body   string // of the tracking issue, whose record last.state is
	seen   map[string]stand
	past   map[string]bool // promotions that had ended before
	order  []string        // in which the promotions of seen were seen first
	failed error           // why the record could not be read
}

func newReader(w *world) *reader {
	tips := w.sim.Branches(w.repo)
	first := &view{tips: tips, pushed: map[string]string{}, names: map[string]string{}}
	return &reader{w: w, start: maps.Clone(tips), last: first, seen: map[string]stand{}, past: map[string]bool{}}
}

// read takes one view.
func (r *reader) read() (*view, error) {
	sim, repo := r.w.sim, r.w.repo
	v := &view{
		repo: repo, url: sim.URL() + "/" + repo.FullName(), tips: sim.Branches(repo), pulls: sim.PullRequests(repo), checks: sim.CheckRuns(repo),
		state: r.last.state, pipelines: r.last.pipelines, pushed: r.last.pushed, names: r.last.names,
	}
	if err := r.readBranches(v); err != nil {
		return nil, err
	}
	if err := r.readPipelines(v); err != nil {
		return nil, err
	}
	r.readIssue(v)
	r.readComments(v)
	r.last = v
	for _, s := range v.stands() {
		if r.past[s.Name] {
			continue
		}
		if _, known := r.seen[s.Name]; !known {
			r.order = append(r.order, s.Name)
		}
		r.seen[s.Name] = s
	}
	return v, nil
}

// skip takes a view for the past: what has ended in it is none of this demo's.
func (r *reader) skip(v *view) {
	for _, s := range v.stands() {
		if s.Phase.Terminal() {
			r.past[s.Name] = true
			delete(r.seen, s.Name)
		}
	}
	r.order = slices.DeleteFunc(r.order, func(name string) bool { return r.past[name] })
}

// readBranches finds what came onto the branches since the last view.
func (r *reader) readBranches(v *view) error {
	for _, branch := range slices.Sorted(maps.Keys(v.tips)) {
		before, tip := r.last.tips[branch], v.tips[branch]
		if _, _, _, own := promotion.ParseBranch(branch); own || before == tip {
			continue
		}
		if before == "" {
			before = v.tips[v.repo.DefaultBranch] // a new branch
		}
		_, commits, err := r.w.sim.Between(r.w.repo, before, tip)
		if err != nil {
			return fmt.Errorf("read what came onto %s: %w", branch, err)
		}
		for _, c := range commits {
			v.note(c)
		}
	}
	return nil
}

func (v *view) note(c ghsim.Commit) {
	v.news = append(v.news, c)
	name := promotion.Trailer(c.Message, promotion.TrailerPromotion)
	if name == "" {
		return
	}
	v.pushed = with(v.pushed, name, c.SHA)
	subject, _, _ := strings.Cut(c.Message, "\n")
	title, found := strings.CutSuffix(strings.TrimPrefix(subject, "Promote "), " to "+promotion.Trailer(c.Message, promotion.TrailerStage))
	if found && title != "" {
		v.names = with(v.names, promotion.Trailer(c.Message, promotion.TrailerFreight), title)
	}
}

// with is a copy of m that holds one more.
func with(m map[string]string, key, value string) map[string]string {
	out := maps.Clone(m)
	out[key] = value
	return out
}

package demo

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Report is what the demo did.
type Report struct {
	OK         bool        `json:"ok"`
	Error      string      `json:"error,omitempty"` // why it is not OK
	Promotions []Promotion `json:"promotions"`      // never null; in the order in which they showed up
}

// Promotion is where one promotion stood in the end, and what it cost.
type Promotion struct {
	Name        string          `json:"name"`
	Pipeline    string          `json:"pipeline"`
	Stage       string          `json:"stage"`
	Phase       promotion.Phase `json:"phase"`
	Commit      string          `json:"commit"`      // what landed; empty: nothing
	PullRequest int             `json:"pullRequest"` // 0: none
	// Reads and Writes were charged to the rate limit; NotModified are reads that
	// were answered with 304 and are free. Fetches and Pushes are git's.
	Reads       int `json:"reads"`
	NotModified int `json:"notModified"`
	Writes      int `json:"writes"`
	Fetches     int `json:"fetches"`
	Pushes      int `json:"pushes"`
}

// failed is the report of a demo that did not begin.
func failed(err error) Report {
	out := Report{Error: err.Error(), Promotions: []Promotion{}}
	if example, ok := IsMissingConfig(err); ok {
		out.Error += "\n\n" + example
	}
	return out
}

// report sums up. The world has stopped, so the counts are whole.
func (r *reader) report(err error) Report {
	out := Report{OK: err == nil, Promotions: []Promotion{}}
	if err != nil {
		out.Error = err.Error()
	}
	counts := r.w.tally.counts()
	for _, name := range r.order {
		s, c := r.seen[name], counts[name]
		out.Promotions = append(out.Promotions, Promotion{
			Name: s.Name, Pipeline: s.Pipeline, Stage: s.Stage, Phase: s.Phase, Commit: s.Commit, PullRequest: s.PullRequest,
			Reads: c.Reads, NotModified: c.NotModified, Writes: c.Writes, Fetches: c.Fetches, Pushes: c.Pushes,
		})
	}
	return out
}

// Table draws the report in at most 100 columns. Of a promotion's name it shows
// what tells it from others.
func (r Report) Table() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PROMOTION\tSTAGE\tPHASE\tCOMMIT\tPR\tREADS\t304\tWRITES\tFETCHES\tPUSHES")
	for _, p := range r.Promotions {
		pr := "–"
		if p.PullRequest != 0 {
			pr = fmt.Sprintf("#%d", p.PullRequest)
		}
		commit := cmp.Or(short(p.Commit), "–")
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\n", abbreviated(p.Name),
			clip(promotion.StageRef(p.Pipeline, p.Stage), 14), p.Phase, commit, pr, p.Reads, p.NotModified, p.Writes, p.Fetches, p.Pushes)
	}
	_ = w.Flush() // into memory
	return b.String()
}

// abbreviated leaves out of a promotion's name what its stage has in common with
// all others made in the same minute.
func abbreviated(name string) string {
	parts := strings.Split(name, ".")
	if len(parts) != 3 || len(parts[1]) < 6 {
		return clip(name, 24)
	}
	return clip(parts[0], 10) + ".…" + parts[1][len(parts[1])-4:] + "." + parts[2]
}

// Unfinished says that the story did not end well.
type Unfinished struct {
	Cause    error
	Where    string   // what stood where, a line each
	Warnings []string // the last ones of the server
}

func (e *Unfinished) Error() string {
	text := fmt.Sprintf("%v\nThis stood where:\n%s", e.Cause, e.Where)
	if len(e.Warnings) > 0 {
		text += "\nThe server's last warnings:\n  " + strings.Join(e.Warnings, "\n  ")
	}
	return text
}

// Unwrap is the cause.
func (e *Unfinished) Unwrap() error { return e.Cause }

// standing is what stands where, for an error.
func standing(r *reader) string {
	v := r.last
	var b strings.Builder
	if r.failed != nil {
		fmt.Fprintf(&b, "  the record in #%d cannot be read: %v\n", v.issue.Number, r.failed)
	}
	for _, s := range v.stands() {
		fmt.Fprintf(&b, "  %-12s %-10s %s  %s\n", s.ref(), s.Phase, s.Name, s.Message)
	}
	for _, pr := range v.pulls {
		if pr.State == "open" {
			fmt.Fprintf(&b, "  #%d is open: %s\n", pr.Number, pr.Title)
		}
	}
	if v.state != nil {
		for _, p := range v.state.Problems {
			fmt.Fprintf(&b, "  problem: %s\n", p.Text)
		}
	}
	if b.Len() == 0 {
		return "  nothing: no promotion was made"
	}
	return strings.TrimRight(b.String(), "\n")
}

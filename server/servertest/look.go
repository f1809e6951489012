package servertest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// Sketch is what a person would see, for failed tests.
func (w *World) Sketch() string {
	var b strings.Builder
	for branch, sha := range w.Sim.Branches(w.Repo) {
		fmt.Fprintf(&b, "branch %s %s\n", branch, sha[:7])
	}
	for _, pr := range w.Sim.PullRequests(w.Repo) {
		fmt.Fprintf(&b, "#%d %s %s merged=%v\n", pr.Number, pr.State, pr.Title, pr.Merged)
	}
	for _, c := range w.Sim.CheckRuns(w.Repo) {
		fmt.Fprintf(&b, "check %s on %s: %s %q %s\n", c.Name, c.HeadSHA[:7], c.Conclusion, c.Title, c.ExternalID)
	}
	for _, i := range w.Sim.Issues(w.Repo) {
		fmt.Fprintf(&b, "issue #%d %s\n%s\n", i.Number, i.Title, visible(i.Body))
		for _, c := range w.Sim.Comments(w.Repo, i.Number) {
			fmt.Fprintf(&b, "  %s: %s %v\n", c.Author, c.Body, c.Reactions)
		}
	}
	return b.String()
}

func visible(body string) string {
	text, _, _ := strings.Cut(body, "<!-- stagecoach")
	return text
}

// TrackingIssue is the app's issue, if there is one.
func (w *World) TrackingIssue() (ghsim.Issue, bool) {
	for _, i := range w.Sim.Issues(w.Repo) {
		if slices.Contains(i.Labels, "stagecoach") {
			return i, true
		}
	}
	return ghsim.Issue{}, false
}

// Open are the open pull requests.
func (w *World) Open() []ghsim.PullRequest {
	return slices.DeleteFunc(w.Sim.PullRequests(w.Repo), func(pr ghsim.PullRequest) bool { return pr.State != "open" })
}

// Check is the newest check run of a name, if there is one.
func (w *World) Check(name string) (ghsim.CheckRun, bool) {
	for _, c := range slices.Backward(w.Sim.CheckRuns(w.Repo)) {
		if c.Name == name {
			return c, true
		}
	}
	return ghsim.CheckRun{}, false
}

// File is a file on main; "" when it is not there.
func (w *World) File(path string) string {
	text, _ := w.Sim.File(w.Repo, "main", path)
	return text
}

// Reactions are those on a comment, as "login content", sorted.
func (w *World) Reactions(number int, comment int64) []string {
	var out []string
	for _, c := range w.Sim.Comments(w.Repo, number) {
		if c.ID != comment {
			continue
		}
		for _, r := range c.Reactions {
			out = append(out, r.Content)
		}
	}
	slices.Sort(out)
	return out
}

package page

import (
	"net/http"
	"slices"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

type pullPage struct {
	talk
	Pull    ghsim.PullRequest
	Checks  []check
	Sum     checkSum
	Diff    diff
	Commits int
	Merge   mergeBox
	Review  reviewBox
}

// mergeBox says whether the pull request can be merged, and how.
type mergeBox struct {
	Methods []method
	Clean   bool
	// Problem is why rules of the base do not let the person merge now; empty when they do.
	Problem string
	// MayPush says that the person's role lets them merge; others may try, and hear what GitHub says.
	MayPush bool
	// Branch says that the head branch of a closed pull request is still there.
	Branch bool
}

type method struct{ Name, Title string }

var methodTitles = map[string]string{"merge": "Create a merge commit", "squash": "Squash and merge", "rebase": "Rebase and merge"}

func (v *visit) pull() error { return v.showPull(http.StatusOK, "") }

func (v *visit) showPull(status int, typed string) error {
	number := v.number("number")
	all := v.sim.PullRequests(v.repo)
	at := slices.IndexFunc(all, func(p ghsim.PullRequest) bool { return p.Number == number })
	if at < 0 {
		if _, found := findIssue(v.sim.Issues(v.repo), number); found {
			return v.goTo(v.numbered("issues", number))
		}
		return missing("%s has no pull request #%d.", v.repo.FullName(), number)
	}
	page, err := v.pullPage(all[at], typed)
	if err != nil {
		return err
	}
	return v.showStatus(status, "pull", page.Title+" · Pull request "+hash(number)+" · "+v.repo.FullName(), "pulls", page)
}

func (v *visit) pullPage(p ghsim.PullRequest, typed string) (pullPage, error) {
	page := pullPage{talk: v.talkAbout(p.Issue, "pull", pullState(p), typed), Pull: p, Checks: v.checks(p.HeadSHA)}
	page.Sum, page.Review.Own = sumUp(page.Checks), p.Author == v.me
	from, to, _ := v.sim.Span(v.repo, p.Number)
	changes, err := v.sim.Diff(v.repo, from, to)
	if err != nil {
		return page, err
	}
	page.Diff = newDiff(changes, v.repo, to)
	_, commits, err := v.sim.Between(v.repo, from, to)
	if err != nil {
		return page, err
	}
	page.Commits = len(commits)
	page.Events = v.events(p.Issue, v.pullEvents(p, commits))
	page.Merge, err = v.mergeBox(p)
	return page, err
}

// pullEvents are what happened to a pull request besides comments.
func (v *visit) pullEvents(p ghsim.PullRequest, commits []ghsim.Commit) []event {
	var out []event
	for _, line := range v.lines(commits) {
		out = append(out, event{When: line.Committer.When, Commit: &line})
	}
	out = append(out, v.reviewEvents(p)...)
	switch {
	case p.Merged:
		out = append(out, event{When: p.MergedAt, Did: "merged this as", Who: p.MergedBy, Mark: "merged", SHA: p.MergeCommit})
	case p.State == "closed":
		out = append(out, event{When: p.Closed, Did: "This pull request was closed without merging.", Mark: "closed"})
	}
	return out
}

func (v *visit) mergeBox(p ghsim.PullRequest) (box mergeBox, err error) {
	for _, name := range v.sim.MergeMethods(v.repo) {
		box.Methods = append(box.Methods, method{name, methodTitles[name]})
	}
	box.MayPush = slices.Contains([]string{"write", "maintain", "admin"}, v.role(v.repo))
	box.Branch = p.State != "open" && p.Head != v.repo.DefaultBranch && v.sim.Branches(v.repo)[p.Head] == p.HeadSHA
	if p.State == "open" {
		box.Clean, err = v.sim.Mergeable(v.repo, p.Number)
		box.Problem = v.sim.MergeProblem(v.repo, p.Number, v.me)
	}
	return box, err
}

// pullPart leads from GitHub's tabs to the parts of our one page.
func (v *visit) pullPart() error {
	part := v.r.PathValue("part")
	if !slices.Contains([]string{"files", "commits", "checks"}, part) {
		return missing("A pull request has no page %s.", part)
	}
	return v.goTo(v.at("pull", v.r.PathValue("number")) + "#" + part)
}

package page

import (
	"strings"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

type commitPage struct {
	ghsim.Commit
	Body     string
	Trailers []trailer
	Diff     diff
	Checks   []check
	Sum      checkSum
	Pulls    []ghsim.PullRequest // that the commit came by
}

type trailer struct{ Key, Value string }

// commit shows one commit: message, trailers, checks and diff.
func (v *visit) commit() error {
	sha, found := v.sim.Resolve(v.repo, v.r.PathValue("sha"))
	if !found {
		return missing("%s has no commit %s.", v.repo.FullName(), v.r.PathValue("sha"))
	}
	commits, err := v.sim.History(v.repo, sha, "", 0, 1)
	if err != nil || len(commits) == 0 {
		return missing("%s has no commit %s.", v.repo.FullName(), sha)
	}
	c := commits[0]
	parent := ""
	if len(c.Parents) > 0 {
		parent = c.Parents[0]
	}
	changes, err := v.sim.Diff(v.repo, parent, sha)
	if err != nil {
		return err
	}
	body, trailers := splitMessage(c.Message)
	page := commitPage{Commit: c, Body: body, Trailers: trailers, Diff: newDiff(changes, v.repo, sha), Checks: v.checks(sha), Pulls: v.pullsOf(sha)}
	page.Sum = sumUp(page.Checks)
	return v.show("commit", firstLine(c.Message)+" · "+v.repo.FullName(), "code", page)
}

// splitMessage takes the subject away and the trailers apart: the lines KEY: VALUE of the last paragraph.
func splitMessage(message string) (body string, trailers []trailer) {
	_, body, _ = strings.Cut(strings.TrimSpace(message), "\n")
	body = strings.TrimSpace(body)
	at := strings.LastIndex("\n\n"+body, "\n\n")
	for _, line := range strings.Split(body[at:], "\n") {
		key, value, found := strings.Cut(line, ": ")
		if !found || key == "" || strings.ContainsAny(key, " \t") {
			return body, nil
		}
		trailers = append(trailers, trailer{key, value})
	}
	return strings.TrimSpace(body[:at]), trailers
}

func (v *visit) pullsOf(sha string) []ghsim.PullRequest {
	var out []ghsim.PullRequest
	for _, p := range v.sim.PullRequests(v.repo) {
		if p.MergeCommit == sha || p.HeadSHA == sha {
			out = append(out, p)
		}
	}
	return out
}

package ghsim

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// refuseByRules gives the refusal of a merge that the base's rules do not allow the account, nil for none.
func (s *Sim) refuseByRules(i *issue, method string, by *user) *reply {
	var found []string
	for _, set := range i.repo.rulesOn(i.pull.base) {
		if !set.binds(i.repo, by) {
			continue
		}
		problems := s.unmet(i, set.Rules, method)
		if set.Classic && len(problems) > 0 {
			r := fail(http.StatusMethodNotAllowed, problems[0])
			return &r
		}
		found = append(found, problems...)
	}
	if len(found) == 0 {
		return nil
	}
	r := fail(http.StatusMethodNotAllowed, "Repository rule violations found\n\n"+strings.Join(found, "\n\n")+"\n\n")
	return &r
}

// unmet lists what a pull request lacks to be merged by a method; "" is whatever method is allowed.
func (s *Sim) unmet(i *issue, rules Rules, method string) []string {
	var out []string
	add := func(text string) {
		if text != "" {
			out = append(out, text)
		}
	}
	if rules.MergeQueue {
		add("Changes must be made through the merge queue")
	}
	if method != "" && len(rules.Methods) > 0 && !slices.Contains(rules.Methods, method) {
		add(methodNames[method] + " are not allowed on this repository.")
	}
	if method == "merge" && rules.LinearHistory {
		add("This branch must not contain merge commits.")
	}
	add(s.missingReviews(i, rules))
	add(i.repo.missingChecks(rules.Checks, i.pull.headSHA))
	if rules.Strict && len(rules.Checks) > 0 && s.behind(i) {
		add("Head branch is out of date. Review and try the merge again.")
	}
	return out
}

// behind says whether the base has commits that the head lacks.
func (s *Sim) behind(i *issue) bool {
	return !s.contains(i.repo, i.pull.headSHA, i.repo.refs["refs/heads/"+i.pull.base])
}

// missingReviews counts the newest judgement of each person with write access; a comment is none.
func (s *Sim) missingReviews(i *issue, rules Rules) string {
	if !rules.wantsPull() {
		return ""
	}
	approvals, others := 0, 0
	for login, state := range s.judgements(i) {
		if state == "CHANGES_REQUESTED" {
			return "Changes have been requested by a reviewer with write access."
		}
		if state == "APPROVED" {
			approvals++
			if login != i.pull.lastPusher {
				others++
			}
		}
	}
	switch {
	case approvals < rules.Approvals:
		return fmt.Sprintf("At least %s required by reviewers with write access.", plural(rules.Approvals, "approving review is", "approving reviews are"))
	case rules.LastPush && others == 0:
		return "New changes require approval from someone other than the last pusher."
	}
	return ""
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// judgements maps people with write access to the state of their newest review that approves, asks for changes, or was dismissed.
func (s *Sim) judgements(i *issue) map[string]string {
	out := map[string]string{}
	for _, review := range i.pull.reviews {
		u := s.account(review.Author)
		if u != nil && u.kind == "User" && i.repo.roleOf(u) >= roleWrite && review.State != "COMMENTED" && review.State != "PENDING" {
			out[review.Author] = review.State
		}
	}
	return out
}

// mergeableState is the word for the whole, of which GitHub documents none.
func (s *Sim) mergeableState(i *issue) string {
	p := i.pull
	switch {
	case p.test == nil || i.state != "open":
		return "unknown"
	case !p.test.clean:
		return "dirty"
	case p.draft:
		return "draft"
	}
	for _, set := range i.repo.rulesOn(p.base) {
		rules := set.Rules
		rules.Strict = false
		if len(s.unmet(i, rules, "")) > 0 {
			return "blocked"
		}
	}
	for _, set := range i.repo.rulesOn(p.base) {
		if set.Rules.Strict && len(set.Rules.Checks) > 0 && s.behind(i) {
			return "behind"
		}
	}
	if i.repo.restless(p.headSHA) {
		return "unstable"
	}
	return "clean"
}

// restless says whether some check or status of a commit, required or not, has not succeeded.
func (r *repository) restless(sha string) bool {
	if newest := r.newestStatuses(sha); len(newest) > 0 && combined(newest) != "success" {
		return true
	}
	for _, run := range r.runs {
		if run.suite.sha == sha && r.newestRun(RequiredCheck{Name: run.name, App: run.suite.app.id}, sha) == run && run.required() != checkPassed {
			return true
		}
	}
	return false
}

// approvedFiles are the changes that approvals were given for, nil where the base's rules keep approvals whatever is pushed.
func (s *Sim) approvedFiles(i *issue) ([]FileChange, error) {
	if !slices.ContainsFunc(i.repo.rulesOn(i.pull.base), func(set *ruleset) bool { return set.Rules.DismissStale }) {
		return nil, nil
	}
	return s.changedFiles(i)
}

// dismissStale takes approvals back when a push made the changes others than before.
func (s *Sim) dismissStale(i *issue, before []FileChange, by *user) error {
	after, err := s.approvedFiles(i)
	if err != nil || slices.Equal(before, after) {
		return err
	}
	for _, review := range i.pull.reviews {
		if review.State == "APPROVED" {
			s.dismiss(i, review, by)
		}
	}
	return nil
}

// MergeProblem says in one line why the base's rules do not let somebody merge a pull request now, "" when they do.
func (s *Sim) MergeProblem(repo Repo, number int, login string) (problem string) {
	s.look(repo, func(r *repository) {
		i := r.issues[number]
		if i == nil || i.pull == nil || i.state != "open" {
			return
		}
		for _, set := range r.rulesOn(i.pull.base) {
			if unmet := s.unmet(i, set.Rules, ""); set.binds(r, s.account(login)) && len(unmet) > 0 {
				problem = unmet[0]
				return
			}
		}
	})
	return problem
}

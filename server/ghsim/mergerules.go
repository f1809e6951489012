package ghsim

import (
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

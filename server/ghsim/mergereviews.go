package ghsim

import (
	"fmt"
	"slices"
)

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

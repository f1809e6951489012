package ghsim

import (
	"fmt"
	"net/http"
	"strings"
)

// refusedPush is a push that rules forbid, as git and GitHub say it.
type refusedPush struct {
	ref, reason, message string
}

func (e *refusedPush) Error() string { return strings.TrimSpace(e.message) }

// refusePush gives the refusal of ref changes by an account, nil for none. The commits must be in the repository already.
func (s *Sim) refusePush(r *repository, changes []refChange, by *user) *refusedPush {
	for _, c := range changes {
		if c.branch() == "" {
			continue
		}
		for _, set := range r.rulesOn(c.branch()) {
			if problems := s.pushProblems(r, c, set); set.binds(r, by) && len(problems) > 0 {
				return set.refusal(s, r, c.ref, problems)
			}
		}
	}
	return nil
}

func (s *Sim) pushProblems(r *repository, c refChange, set *ruleset) []string {
	rules, kind := set.Rules, ""
	if set.Classic {
		kind = "protected "
	}
	if c.new == zeroSHA {
		if rules.NoDeletion {
			return []string{"Cannot delete this " + kind + "branch"}
		}
		return nil
	}
	if c.old == zeroSHA {
		return nil // whoever may write may create what does not exist
	}
	var out []string
	if rules.NoForcePush && !s.contains(r, c.new, c.old) {
		out = append(out, "Cannot force-push to this "+kind+"branch")
	}
	if rules.wantsPull() {
		out = append(out, "Changes must be made through a pull request.")
	}
	if rules.MergeQueue {
		out = append(out, "Changes must be made through the merge queue")
	}
	if missing := r.missingChecks(rules.Checks, c.new); missing != "" {
		out = append(out, missing)
	}
	if rules.LinearHistory && s.bringsMerges(r, c) {
		out = append(out, "This branch must not contain merge commits.")
	}
	return out
}

func (s *Sim) bringsMerges(r *repository, c refChange) bool {
	out, err := s.gitLine(r, "rev-list", "--merges", "--max-count=1", c.old+".."+c.new)
	return err == nil && out != ""
}

// refusal is what git shows after "remote:", and behind the ref.
func (set *ruleset) refusal(s *Sim, r *repository, ref string, problems []string) *refusedPush {
	list := "\n- " + strings.Join(problems, "\n\n- ") + "\n"
	if set.Classic {
		return &refusedPush{ref, "protected branch hook declined", fmt.Sprintf("error: GH006: Protected branch update failed for %s.\n%s", ref, list)}
	}
	rules := fmt.Sprintf("Review all repository rules at %s/rules?ref=%s\n", s.repoWeb(r), strings.ReplaceAll(ref, "/", "%2F"))
	return &refusedPush{ref, "push declined due to repository rule violations", fmt.Sprintf("error: GH013: Repository rule violations found for %s.\n%s%s\n", ref, rules, list)}
}

// refuseRef is the refusal of a ref change by REST, nil for none.
func (c *call) refuseRef(change refChange) *reply {
	refused := c.refusePush(c.repo, []refChange{change}, c.who.actor())
	if refused == nil {
		return nil
	}
	_, list, _ := strings.Cut(refused.message, "\n")
	at := strings.Index(list, "- ")
	r := fail(http.StatusUnprocessableEntity, "Repository rule violations found\n\n"+strings.TrimPrefix(list[max(at, 0):], "- ")+"\n")
	return &r
}

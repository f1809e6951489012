package ghsim

import (
	"cmp"
	"net/http"
)

func ruleRoutes() []route {
	return []route{
		{pattern: "GET /repos/{owner}/{repo}/rules/branches/{branch...}", docs: "repos/rules#get-rules-for-a-branch", needs: "metadata=read", role: roleRead,
			run: listRules},
		{pattern: "GET /repos/{owner}/{repo}/branches/{branch}/protection", docs: "branches/branch-protection#get-branch-protection",
			needs: "administration=read", role: roleAdmin, run: getProtection},
	}
}

// listRules shows the rules of rulesets that are in force, also those that the caller may pass. Branch protection is no part of it.
func listRules(c *call) reply {
	var found []obj
	for _, set := range c.repo.rulesOn(c.path("branch")) {
		if set.Classic {
			continue
		}
		for _, rule := range set.Rules.json() {
			found = append(found, merged(rule, obj{"ruleset_source_type": "Repository", "ruleset_source": c.repo.fullName(), "ruleset_id": set.ID}))
		}
	}
	return list(c, found, func(rule obj) obj { return rule })
}

// json is the rules as the API lists them, one object each.
func (r Rules) json() []obj {
	var out []obj
	add := func(is bool, rule obj) {
		if is {
			out = append(out, rule)
		}
	}
	add(r.NoDeletion, obj{"type": "deletion"})
	add(r.NoForcePush, obj{"type": "non_fast_forward"})
	add(r.LinearHistory, obj{"type": "required_linear_history"})
	add(r.wantsPull(), obj{"type": "pull_request", "parameters": r.pullParameters()})
	add(len(r.Checks) > 0, obj{"type": "required_status_checks", "parameters": r.checkParameters()})
	add(r.MergeQueue, obj{"type": "merge_queue", "parameters": obj{
		"check_response_timeout_minutes": 60, "grouping_strategy": "ALLGREEN", "max_entries_to_build": 5, "max_entries_to_merge": 5, "merge_method": "MERGE",
		"min_entries_to_merge": 1, "min_entries_to_merge_wait_minutes": 5,
	}})
	return out
}

func (r Rules) pullParameters() obj {
	methods := r.Methods
	if len(methods) == 0 {
		methods = []string{"merge", "squash", "rebase"}
	}
	return obj{
		"allowed_merge_methods": methods, "dismiss_stale_reviews_on_push": r.DismissStale, "require_code_owner_review": false,
		"require_last_push_approval": r.LastPush, "required_approving_review_count": r.Approvals, "required_review_thread_resolution": false,
	}
}

func (r Rules) checkParameters() obj {
	checks := []obj{}
	for _, check := range r.Checks {
		one := obj{"context": check.Name}
		if check.App != 0 {
			one["integration_id"] = check.App
		}
		checks = append(checks, one)
	}
	return obj{"required_status_checks": checks, "strict_required_status_checks_policy": r.Strict}
}

// protectionOf is the branch protection of a branch, nil for none.
func (r *repository) protectionOf(branch string) *ruleset {
	for _, set := range r.rulesOn(branch) {
		if set.Classic {
			return set
		}
	}
	return nil
}

func getProtection(c *call) reply {
	name := c.path("branch")
	set := c.repo.protectionOf(name)
	switch {
	case c.repo.refs["refs/heads/"+name] == "":
		return fail(http.StatusNotFound, "Branch not found")
	case set == nil:
		return fail(http.StatusNotFound, "Branch not protected")
	}
	url := c.repoAPI(c.repo) + "/branches/" + name + "/protection"
	out := obj{
		"url": url, "enforce_admins": obj{"url": url + "/enforce_admins", "enabled": set.Rules.AdminsToo},
		"required_linear_history": obj{"enabled": set.Rules.LinearHistory}, "allow_force_pushes": obj{"enabled": false}, "allow_deletions": obj{"enabled": false},
	}
	if len(set.Rules.Checks) > 0 {
		out["required_status_checks"] = merged(set.Rules.classicChecks(), obj{"url": url + "/required_status_checks", "strict": set.Rules.Strict})
	}
	if set.Rules.wantsPull() {
		out["required_pull_request_reviews"] = obj{
			"url": url + "/required_pull_request_reviews", "dismiss_stale_reviews": set.Rules.DismissStale, "require_code_owner_reviews": false,
			"required_approving_review_count": set.Rules.Approvals, "require_last_push_approval": set.Rules.LastPush,
		}
	}
	return ok(out)
}

func (r Rules) classicChecks() obj {
	contexts, checks := []string{}, []obj{}
	for _, check := range r.Checks {
		contexts = append(contexts, check.Name)
		one := obj{"context": check.Name, "app_id": nil}
		if check.App != 0 {
			one["app_id"] = check.App
		}
		checks = append(checks, one)
	}
	return obj{"contexts": contexts, "checks": checks}
}

// branchProtectionJSON is what a branch itself says of its protection.
func (c *call) branchProtectionJSON(name string) obj {
	set, level := c.repo.protectionOf(name), ""
	if set == nil {
		return obj{"enabled": false, "required_status_checks": obj{"enforcement_level": "off", "contexts": []string{}, "checks": []obj{}}}
	}
	if set.Rules.AdminsToo {
		level = "everyone"
	}
	return obj{"enabled": true, "required_status_checks": merged(set.Rules.classicChecks(), obj{"enforcement_level": cmp.Or(level, "non_admins")})}
}

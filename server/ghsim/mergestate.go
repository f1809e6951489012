package ghsim

// behind says whether the base has commits that the head lacks.
func (s *Sim) behind(i *issue) bool {
	return !s.contains(i.repo, i.pull.headSHA, i.repo.refs["refs/heads/"+i.pull.base])
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

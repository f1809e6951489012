package ghsim

import (
	"fmt"
	"maps"
	"slices"
)

// Bot acts as another App does by one of its installations: CI, or a deployment tool that reports what it rolled out.
type Bot struct{ hands }

// reporting are the permissions of an App that builds, tests and deploys.
var reporting = map[string]string{"checks": "write", "statuses": "write", "contents": "read", "pull_requests": "read", "deployments": "write"}

// AddBot registers another App, unless the slug has one, and installs it on the repositories, which have one owner. It has
// no webhook and nobody has its key; it acts by the Bot alone. permissions nil: those of CI, to write checks, statuses and deployments.
func (s *Sim) AddBot(slug string, permissions map[string]string, repos ...Repo) (Bot, error) {
	if len(repos) == 0 {
		return Bot{}, fmt.Errorf("add bot %s: name the repositories that it works on", slug)
	}
	if permissions == nil {
		permissions = reporting
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range repos {
		if s.repos[r.ID] == nil || r.Owner != repos[0].Owner {
			return Bot{}, fmt.Errorf("add bot %s: %s is missing, or of another owner than %s", slug, r.FullName(), repos[0].FullName())
		}
	}
	a := s.appBySlug(slug)
	if a == nil {
		a = s.newApp(App{Slug: slug}, merge(permissions, map[string]string{"metadata": "read"}), nil)
	}
	inst := s.installedFor(a, s.ownerOf(repos[0].Owner))
	for _, r := range repos {
		inst.repos[r.ID] = true
	}
	return Bot{hands{sim: s, login: a.bot.login, inst: inst.id}}, nil
}

// installedFor finds or makes the App's installation on an account.
func (s *Sim) installedFor(a *app, account *user) *installation {
	for _, inst := range s.installationsOf(a) {
		if inst.account == account {
			return inst
		}
	}
	inst := &installation{
		id: s.nextID(), app: a, account: account, repos: map[int64]bool{}, permissions: maps.Clone(a.permissions), events: slices.Clone(a.events), created: s.now(),
	}
	s.insts[inst.id] = inst
	return inst
}

// AsInstallation gives the hands of an App's bot in one of its installations.
func (s *Sim) AsInstallation(id int64) (Bot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	inst := s.insts[id]
	if inst == nil || inst.deleted {
		return Bot{}, fmt.Errorf("as installation: there is no installation %d", id)
	}
	return Bot{hands{sim: s, login: inst.app.bot.login, inst: id}}, nil
}

// botToken is a token of the installation that has some life left.
func (s *Sim) botToken(id int64) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	inst := s.insts[id]
	if inst == nil {
		return "", fmt.Errorf("there is no installation %d", id)
	}
	if t := inst.own; t != nil && s.opts.AuthClock().Before(t.expires.Add(-maxDrift)) {
		return t.secret, nil
	}
	inst.own = &token{inst: inst, secret: installationSecret(inst.app.id), expires: s.opts.AuthClock().Add(tokenLife)}
	s.tokens[inst.own.secret] = inst.own
	return inst.own.secret, nil
}

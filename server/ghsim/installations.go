package ghsim

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// installation is an App on one account. Permissions and events are those its owner accepted last.
type installation struct {
	id          int64
	app         *app
	account     *user
	repos       map[int64]bool
	permissions map[string]string
	events      []string
	created     time.Time
	suspendedAt time.Time
	suspendedBy *user
	deleted     bool
	own         *token // of its bot, see Bot
}

// Install puts an App on an account for the given repositories, and sends installation.created. It gives the installation's ID.
func (s *Sim) Install(appID int64, account string, repos ...Repo) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.apps[appID]
	if a == nil {
		return 0, fmt.Errorf("install: there is no app %d", appID)
	}
	inst := &installation{
		id: s.nextID(), app: a, account: s.ownerOf(account), repos: map[int64]bool{}, permissions: a.permissions, events: a.events, created: s.now(),
	}
	for _, r := range repos {
		inst.repos[r.ID] = true
	}
	s.insts[inst.id] = inst
	s.emitInstallation(inst, "created", obj{"repositories": s.briefRepos(inst.repos), "requester": nil})
	return inst.id, nil
}

// Uninstall removes an installation; its tokens stop working and installation.deleted is sent.
func (s *Sim) Uninstall(id int64) error {
	return s.changeInstallation(id, func(inst *installation) {
		s.emitInstallation(inst, "deleted", obj{"repositories": s.briefRepos(inst.repos)})
		inst.deleted = true
	})
}

// Suspend stops an installation until Unsuspend: its tokens answer 403 and it hears of nothing.
func (s *Sim) Suspend(id int64) error {
	return s.changeInstallation(id, func(inst *installation) {
		inst.suspendedAt, inst.suspendedBy = s.now(), inst.account
		s.emitInstallation(inst, "suspend", obj{})
	})
}

// Unsuspend ends what Suspend did, and the App hears of it.
func (s *Sim) Unsuspend(id int64) error {
	return s.changeInstallation(id, func(inst *installation) {
		inst.suspendedAt, inst.suspendedBy = time.Time{}, nil
		s.emitInstallation(inst, "unsuspend", obj{})
	})
}

// SetInstallationPermissions is the owner accepting other permissions, and the App's present events with them.
func (s *Sim) SetInstallationPermissions(id int64, permissions map[string]string) error {
	return s.changeInstallation(id, func(inst *installation) {
		inst.permissions = merge(permissions, map[string]string{"metadata": "read"})
		inst.events = inst.app.events
		s.emitInstallation(inst, "new_permissions_accepted", obj{})
	})
}

// AddToInstallation gives an installation more repositories. installation_repositories.added is sent.
func (s *Sim) AddToInstallation(id int64, repos ...Repo) error {
	return s.changeInstallation(id, func(inst *installation) { s.moveRepos(inst, "added", repos, true) })
}

// RemoveFromInstallation takes repositories away from an installation. installation_repositories.removed is sent.
func (s *Sim) RemoveFromInstallation(id int64, repos ...Repo) error {
	return s.changeInstallation(id, func(inst *installation) { s.moveRepos(inst, "removed", repos, false) })
}

func (s *Sim) moveRepos(inst *installation, action string, repos []Repo, in bool) {
	moved := map[int64]bool{}
	for _, r := range repos {
		moved[r.ID] = true
		if in {
			inst.repos[r.ID] = true
		} else {
			delete(inst.repos, r.ID)
		}
	}
	body := obj{"repository_selection": "selected", "repositories_added": []obj{}, "repositories_removed": []obj{}, "requester": nil}
	body["repositories_"+action] = s.briefRepos(moved)
	s.emitLifecycle(inst, "installation_repositories", action, body)
}

func (s *Sim) changeInstallation(id int64, change func(*installation)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	inst := s.insts[id]
	if inst == nil || inst.deleted {
		return fmt.Errorf("there is no installation %d", id)
	}
	change(inst)
	return nil
}

func (s *Sim) installationJSON(inst *installation) obj {
	return obj{
		"id": inst.id, "account": s.userJSON(inst.account), "repository_selection": "selected",
		"access_tokens_url": s.api(fmt.Sprintf("/app/installations/%d/access_tokens", inst.id)),
		"repositories_url":  s.api("/installation/repositories"), "html_url": s.web("/settings/installations/" + strconv.FormatInt(inst.id, 10)),
		"app_id": inst.app.id, "app_slug": inst.app.slug, "client_id": inst.app.clientID, "target_id": inst.account.id, "target_type": inst.account.kind,
		"permissions": inst.permissions, "events": nonNil(inst.events), "created_at": stamp(inst.created), "updated_at": stamp(inst.created),
		"single_file_name": nil, "has_multiple_single_files": false, "single_file_paths": []string{},
		"suspended_by": s.userOrNull(inst.suspendedBy), "suspended_at": stampOrNull(inst.suspendedAt),
	}
}

// ownInstallation is the installation in the path, if it is one of the calling App.
func (c *call) ownInstallation() (*installation, *reply) {
	inst := c.insts[c.id("installation_id")]
	if inst == nil || inst.deleted || inst.app != c.who.app {
		r := notFound()
		return nil, &r
	}
	return inst, nil
}

// installationsOf lists an App's installations by ID.
func (s *Sim) installationsOf(a *app) []*installation {
	var all []*installation
	for _, inst := range s.insts {
		if inst.app == a && !inst.deleted {
			all = append(all, inst)
		}
	}
	slices.SortFunc(all, func(a, b *installation) int { return int(a.id - b.id) })
	return all
}

func installationRoutes() []route {
	return []route{
		{pattern: "GET /app/installations", docs: "apps/apps#list-installations-for-the-authenticated-app", auth: authJWT, free: true,
			run: func(c *call) reply { return list(c, c.installationsOf(c.who.app), c.installationJSON) }},
		{pattern: "GET /app/installations/{installation_id}", docs: "apps/apps#get-an-installation-for-the-authenticated-app", auth: authJWT, free: true,
			run: func(c *call) reply {
				inst, refused := c.ownInstallation()
				if refused != nil {
					return *refused
				}
				return ok(c.installationJSON(inst))
			}},
		{pattern: "POST /app/installations/{installation_id}/access_tokens", docs: "apps/apps#create-an-installation-access-token-for-an-app",
			auth: authJWT, free: true, run: createToken},
		{pattern: "GET /installation/repositories", docs: "apps/installations#list-repositories-accessible-to-the-app-installation",
			auth: authInstallation, run: installationRepositories},
		repoInstallationRoute(),
	}
}

func installationRepositories(c *call) reply {
	if !permits(c.who.token.granted(), "metadata=read") {
		return fail(http.StatusForbidden, "Resource not accessible by integration")
	}
	var reach []*repository
	for _, r := range c.reposIn(c.who.inst.repos) {
		if c.who.token.reaches(r.id) {
			reach = append(reach, r)
		}
	}
	answer := counted(c, "repositories", reach, c.repoJSON)
	answer.body.(obj)["repository_selection"] = "selected"
	return answer
}

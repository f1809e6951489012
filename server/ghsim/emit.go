package ghsim

import (
	"encoding/json"
	"slices"
)

// event is something that happened, before it is known who hears of it.
type event struct {
	name, action string
	repo         *repository
	actor        *user
	body         obj
	only         *app // nil: every App that is installed and subscribed
}

// installedOn lists the working installations that cover a repository, by ID.
func (s *Sim) installedOn(r *repository) []*installation {
	var all []*installation
	for _, inst := range s.insts {
		if inst.repos[r.id] && !inst.deleted && inst.suspendedAt.IsZero() {
			all = append(all, inst)
		}
	}
	slices.SortFunc(all, func(a, b *installation) int { return int(a.id - b.id) })
	return all
}

// emit queues an event for every App that hears of it. One event has one GUID, also when several Apps get it.
func (s *Sim) emit(e event) {
	s.wakeMerges(e.repo)
	e.repo.wrote = s.opts.Clock()
	guid := newGUID()
	for _, inst := range s.installedOn(e.repo) {
		if e.only != nil && e.only != inst.app || !inst.hears(e.name, e.action) {
			continue
		}
		payload := merged(obj{"repository": s.repoJSON(e.repo)}, e.body, obj{
			"sender": s.userJSON(e.actor), "installation": obj{"id": inst.id, "node_id": nodeID("INST", inst.id)},
		})
		if e.action != "" {
			payload["action"] = e.action
		}
		if e.repo.owner.kind == "Organization" {
			payload["organization"] = s.orgJSON(e.repo.owner)
		}
		s.send(inst, e.name, e.action, e.repo.id, guid, payload)
	}
}

// maxPayload is the size of the largest payload that GitHub sends (docs.github.com, "Webhook events and payloads").
const maxPayload = 25 << 20

// send queues one delivery. The payload is fixed now, as the state is now.
func (s *Sim) send(inst *installation, name, action string, repo int64, guid string, payload obj) {
	if inst.app.hookURL == "" {
		return
	}
	raw, err := json.Marshal(payload)
	if err != nil {
		panic("ghsim: a payload that is no JSON: " + err.Error())
	}
	if len(raw) > maxPayload {
		s.log.Debug().Str("event", name).Int("bytes", len(raw)).Msg("github simulator does not send so large a payload")
		return
	}
	s.hooks.enqueue(&delivery{
		Delivery: Delivery{
			ID: s.nextID(), GUID: guid, Event: name, Action: action, App: inst.app.id, Installation: inst.id, Repository: repo, Payload: raw,
		},
		target: hookTarget{app: inst.app.id, hookID: inst.app.hookID, url: inst.app.hookURL, secret: inst.app.hookSecret, api: s.url},
	})
}

func (s *Sim) emitInstallation(inst *installation, action string, body obj) {
	s.emitLifecycle(inst, "installation", action, body)
}

// emitLifecycle tells an App of its own installation. The owner of the account did it.
func (s *Sim) emitLifecycle(inst *installation, name, action string, body obj) {
	s.send(inst, name, action, 0, newGUID(), merged(body, obj{
		"action": action, "installation": s.installationPayload(inst, action), "sender": s.userJSON(inst.account),
	}))
}

// installationPayload has its times as GitHub sends them: seconds, but text when suspended.
func (s *Sim) installationPayload(inst *installation, action string) obj {
	out := s.installationJSON(inst)
	if action != "suspend" && action != "unsuspend" {
		out["created_at"], out["updated_at"] = inst.created.Unix(), inst.created.Unix()
	}
	return out
}

func (s *Sim) emitRepository(r *repository, action string, body obj) {
	s.emit(event{name: "repository", action: action, repo: r, actor: r.owner, body: body})
}

func (s *Sim) emitSuite(suite *checkSuite, action string, actor *user) {
	s.emit(event{name: "check_suite", action: action, repo: suite.repo, actor: actor, only: suite.ownerOnly(action),
		body: obj{"check_suite": s.suitePayload(suite)}})
}

// ownerOnly is the App that alone hears of the action; nil when all do.
func (suite *checkSuite) ownerOnly(action string) *app {
	if action == "requested" || slices.Contains(ownerOnly, action) {
		return suite.app
	}
	return nil
}

func (s *Sim) emitRun(run *checkRun, action string, body obj, actor *user) {
	s.emit(event{name: "check_run", action: action, repo: run.suite.repo, actor: actor, only: run.suite.ownerOnly(action),
		body: merged(body, obj{"check_run": s.runPayload(run)})})
}

// emitComment names the caller as sender, who need not be the comment's author.
func (c *call) emitComment(cm *comment, action string, body obj) {
	c.emit(event{name: "issue_comment", action: action, repo: cm.issue.repo, actor: c.who.actor(),
		body: merged(body, obj{"issue": c.issueJSON(cm.issue), "comment": c.commentJSON(cm)})})
}

func (s *Sim) emitIssue(i *issue, action string, body obj, actor *user) {
	s.emit(event{name: "issues", action: action, repo: i.repo, actor: actor, body: merged(body, obj{"issue": s.issueJSON(i)})})
}

func (s *Sim) emitPull(i *issue, action string, body obj, actor *user) {
	s.emit(event{name: "pull_request", action: action, repo: i.repo, actor: actor,
		body: merged(body, obj{"number": i.number, "pull_request": s.pullJSON(i)})})
}

// emitChange tells of a change by the caller, as an event of what the issue is.
func (c *call) emitChange(i *issue, action string, body obj) {
	c.emitChangeBy(i, action, body, c.who.actor())
}

func (s *Sim) emitChangeBy(i *issue, action string, body obj, actor *user) {
	if i.pull != nil {
		s.emitPull(i, action, body, actor)
		return
	}
	s.emitIssue(i, action, body, actor)
}

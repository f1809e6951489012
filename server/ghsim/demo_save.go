package ghsim

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
)

// Save writes all that the simulator keeps in memory, for Restore; the git repositories stand in Options.Dir. What it writes
// holds secrets.
func (s *Sim) Save(w io.Writer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := saved{Version: savedVersion, LastID: s.lastID, Names: s.names}
	for _, key := range sortedKeys(s.users) {
		u := s.users[key]
		out.Users = append(out.Users, savedUser{u.id, u.login, u.kind, u.secret, u.created, u.members})
	}
	out.Teams = byNumber(s.teams)
	for _, a := range byNumber(s.apps) {
		out.Apps = append(out.Apps, savedApp{
			a.id, a.slug, a.clientID, a.owner.login, encodeKey(a.key), a.hookID, a.hookURL, a.hookSecret, a.permissions, a.events, a.created,
			a.clientSecrets, a.callbacks, a.authorized,
		})
	}
	for _, i := range byNumber(s.insts) {
		out.Installations = append(out.Installations, savedInstallation{
			i.id, i.app.id, i.account.login, i.repos, i.permissions, i.events, i.created, i.suspendedAt, loginOf(i.suspendedBy), i.deleted,
		})
	}
	for _, r := range byNumber(s.repos) {
		out.Repositories = append(out.Repositories, r.save())
	}
	if err := json.NewEncoder(w).Encode(out); err != nil {
		return fmt.Errorf("save the simulator: %w", err)
	}
	return nil
}

// byNumber lists the values of a map in the order of its keys.
func byNumber[K int | int64, V any](m map[K]V) []V {
	var out []V
	for _, key := range slices.Sorted(maps.Keys(m)) {
		out = append(out, m[key])
	}
	return out
}

func loginOf(u *user) string {
	if u == nil {
		return ""
	}
	return u.login
}

func (r *repository) save() savedRepository {
	out := savedRepository{
		ID: r.id, Owner: r.owner.login, Name: r.name, Private: r.private, Archived: r.archived, NoIssues: r.noIssues, DeleteHead: r.deleteHead,
		DefaultBranch: r.defaultBranch, Methods: r.methods, Roles: r.roles, Custom: r.custom, Teams: r.teams, Created: r.created, Pushed: r.pushed, Updated: r.updated,
		LastNumber: r.lastNumber, Labels: map[string]int64{}, Looks: map[string][2]string{}, Statuses: r.statuses, AutoMerge: r.autoMerge, Pinned: r.pinned, Deployments: r.deployments, Releases: r.releases, Parent: r.parent, Rulesets: r.rulesets,
	}
	for _, l := range r.labels {
		out.Labels[l.name], out.Looks[l.name] = l.id, [2]string{l.color, l.description}
	}
	for _, i := range r.queue {
		out.Queue = append(out.Queue, i.number)
	}
	for _, i := range byNumber(r.issues) {
		out.Issues = append(out.Issues, i.save())
	}
	for _, s := range byNumber(r.suites) {
		out.Suites = append(out.Suites, savedSuite{s.id, s.app.id, s.sha, s.branch, s.before, s.created, s.last, s.asked})
	}
	for _, c := range byNumber(r.runs) {
		out.Runs = append(out.Runs, savedRun{
			c.id, c.suite.id, c.name, c.externalID, c.detailsURL, c.status, c.conclusion, c.started, c.completed,
			c.title, c.summary, c.text, c.annotations, c.actions,
		})
	}
	return out
}

func (i *issue) save() savedIssue {
	out := savedIssue{
		ID: i.id, Number: i.number, User: i.user.login, Title: i.title, Body: i.body, State: i.state, Reason: i.reason, Created: i.created,
		Updated: i.updated, Closed: i.closed, ClosedBy: loginOf(i.closedBy), Reactions: saveReactions(i.reactions), Pull: i.pull.save(),
	}
	for _, l := range i.labels {
		out.Labels = append(out.Labels, l.name)
	}
	for _, c := range i.comments {
		out.Comments = append(out.Comments, savedComment{c.id, c.user.login, c.body, c.created, c.updated, saveReactions(c.reactions)})
	}
	return out
}

func saveReactions(all []*reaction) []savedReaction {
	var out []savedReaction
	for _, r := range all {
		out = append(out, savedReaction{r.id, r.user.login, r.content, r.created})
	}
	return out
}

func (p *pull) save() *savedPull {
	if p == nil {
		return nil
	}
	return &savedPull{
		p.head, p.headSHA, p.base, p.baseSHA, p.forkPoint, p.draft, p.merged, p.mergedAt, loginOf(p.mergedBy), p.mergeSHA,
		[4]int{p.stats.commits, p.stats.additions, p.stats.deletions, p.stats.files}, p.reviews, p.auto, p.queued, p.fork, p.forkOwner, p.lastPusher, p.asked, p.askedTeams,
	}
}

package ghsim

import (
	"cmp"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Restore makes a simulator as it was when Save wrote what r gives. Options.Dir must hold the same repositories. Webhooks
// that were on their way are lost, and Apps ask for new tokens.
func Restore(opts Options, r io.Reader) (*Sim, error) {
	var in saved
	if err := json.NewDecoder(r).Decode(&in); err != nil {
		return nil, fmt.Errorf("restore the simulator: %w", err)
	}
	if in.Version < 1 || in.Version > savedVersion {
		return nil, fmt.Errorf("restore the simulator: it was saved in version %d, this one reads up to %d", in.Version, savedVersion)
	}
	s, err := New(opts)
	if err != nil {
		return nil, err
	}
	if err := s.restore(in); err != nil {
		s.Close()
		return nil, fmt.Errorf("restore the simulator: %w", err)
	}
	return s, nil
}

func (s *Sim) restore(in saved) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastID = in.LastID
	for _, u := range in.Users {
		s.restoreUser(u)
	}
	for _, t := range in.Teams {
		s.teams[t.ID] = t
	}
	for _, a := range in.Apps {
		if err := s.restoreApp(a); err != nil {
			return err
		}
	}
	for _, i := range in.Installations {
		s.insts[i.ID] = &installation{
			id: i.ID, app: s.apps[i.App], account: s.account(i.Account), repos: i.Repos, permissions: i.Permissions, events: i.Events,
			created: i.Created, suspendedAt: i.SuspendedAt, suspendedBy: s.account(i.SuspendedBy), deleted: i.Deleted,
		}
	}
	for _, r := range in.Repositories {
		if err := s.restoreRepository(r); err != nil {
			return fmt.Errorf("%s/%s: %w", r.Owner, r.Name, err)
		}
	}
	s.names = in.Names
	return nil
}

// account is the one of that login; nil for nobody.
func (s *Sim) account(login string) *user { return s.users[strings.ToLower(login)] }

func (s *Sim) restoreUser(in savedUser) {
	u := &user{id: in.ID, login: in.Login, kind: in.Kind, secret: in.Secret, created: in.Created, members: in.Members}
	s.users[strings.ToLower(in.Login)] = u
	if u.secret != "" {
		s.tokens[u.secret] = &token{secret: u.secret, user: u}
	}
}

func (s *Sim) restoreApp(in savedApp) error {
	key, err := decodeKey(in.Key)
	if err != nil {
		return fmt.Errorf("the key of the app %s: %w", in.Slug, err)
	}
	a := &app{
		id: in.ID, slug: in.Slug, clientID: in.ClientID, owner: s.account(in.Owner), bot: s.account(in.Slug + "[bot]"), key: key,
		hookID: in.HookID, hookURL: in.HookURL, hookSecret: in.HookSecret, permissions: in.Permissions, events: in.Events, created: in.Created,
		clientSecrets: in.ClientSecrets, callbacks: in.Callbacks, authorized: in.Authorized,
	}
	if a.owner == nil || a.bot == nil {
		return errors.New("the accounts of the app " + in.Slug + " are missing")
	}
	a.bot.app = a
	s.apps[a.id] = a
	return nil
}

// decodeKey reads what encodeKey wrote.
func decodeKey(text string) (*rsa.PrivateKey, error) {
	if text == "" {
		return nil, nil
	}
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("it is no PEM")
	}
	return x509.ParsePKCS1PrivateKey(block.Bytes)
}

func (s *Sim) restoreRepository(in savedRepository) (err error) {
	r := &repository{
		id: in.ID, owner: s.account(in.Owner), name: in.Name, private: in.Private, archived: in.Archived, noIssues: in.NoIssues,
		deleteHead: in.DeleteHead, defaultBranch: in.DefaultBranch, methods: in.Methods, roles: in.Roles, custom: orEmpty(in.Custom), teams: orEmpty(in.Teams), inTeam: s.inTeam, created: in.Created,
		pushed: in.Pushed, updated: in.Updated, lastNumber: in.LastNumber, issues: map[int]*issue{}, comments: map[int64]*comment{},
		labels: map[string]*label{}, runs: map[int64]*checkRun{}, suites: map[int64]*checkSuite{}, statuses: in.Statuses, autoMerge: in.AutoMerge, pinned: in.Pinned, deployments: in.Deployments, releases: in.Releases, parent: in.Parent, rulesets: in.Rulesets,
	}
	for name, id := range in.Labels {
		r.labels[strings.ToLower(name)] = &label{id: id, name: name, color: cmp.Or(in.Looks[name][0], plainColor), description: in.Looks[name][1]}
	}
	for _, i := range in.Issues {
		s.restoreIssue(r, i)
	}
	for _, number := range in.Queue {
		r.queue = append(r.queue, r.issues[number])
	}
	for _, c := range in.Suites {
		r.suites[c.ID] = &checkSuite{c.ID, s.apps[c.App], r, c.SHA, c.Branch, c.Before, c.Created, c.Last, c.Asked}
	}
	for _, c := range in.Runs {
		r.runs[c.ID] = &checkRun{
			c.ID, r.suites[c.Suite], c.Name, c.ExternalID, c.DetailsURL, c.Status, c.Conclusion, c.Started, c.Completed,
			c.Title, c.Summary, c.Text, c.Annotations, c.Actions,
		}
	}
	s.repos[r.id] = r
	r.refs, err = s.readRefs(r)
	return err
}

func (s *Sim) restoreIssue(r *repository, in savedIssue) {
	i := &issue{
		id: in.ID, number: in.Number, repo: r, user: s.account(in.User), title: in.Title, body: in.Body, state: in.State, reason: in.Reason,
		created: in.Created, updated: in.Updated, closed: in.Closed, closedBy: s.account(in.ClosedBy), reactions: s.restoreReactions(in.Reactions),
		pull: s.restorePull(in.Pull),
	}
	for _, name := range in.Labels {
		i.labels = append(i.labels, r.labels[strings.ToLower(name)])
	}
	for _, c := range in.Comments {
		one := &comment{c.ID, i, s.account(c.User), c.Body, c.Created, c.Updated, s.restoreReactions(c.Reactions)}
		i.comments, r.comments[c.ID] = append(i.comments, one), one
	}
	r.issues[i.number] = i
}

// orEmpty is a map that can be written, where an older form of the file has none.
func orEmpty[K comparable, V any](m map[K]V) map[K]V {
	if m == nil {
		return map[K]V{}
	}
	return m
}

func (s *Sim) restoreReactions(in []savedReaction) []*reaction {
	var out []*reaction
	for _, r := range in {
		out = append(out, &reaction{r.ID, s.account(r.User), r.Content, r.Created})
	}
	return out
}

func (s *Sim) restorePull(in *savedPull) *pull {
	if in == nil {
		return nil
	}
	return &pull{
		head: in.Head, headSHA: in.HeadSHA, base: in.Base, baseSHA: in.BaseSHA, forkPoint: in.ForkPoint, draft: in.Draft, merged: in.Merged,
		mergedAt: in.MergedAt, mergedBy: s.account(in.MergedBy), mergeSHA: in.MergeSHA,
		stats: pullStats{in.Stats[0], in.Stats[1], in.Stats[2], in.Stats[3]}, reviews: in.Reviews, auto: in.Auto, queued: in.Queued, fork: in.Fork, forkOwner: in.ForkOwner, lastPusher: in.LastPusher, asked: in.Asked, askedTeams: in.AskedTeams,
	}
}

package ghsim

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Repo names a repository. ID stays when the names change; methods look at nothing else.
type Repo struct {
	ID            int64
	Owner, Name   string
	DefaultBranch string
	Private       bool
	Archived      bool
	// CloneURL is where git finds it, without credentials.
	CloneURL string
}

// FullName is owner/name.
func (r Repo) FullName() string { return r.Owner + "/" + r.Name }

// RepoOptions say how a repository begins. The zero value is public and empty.
type RepoOptions struct {
	Private bool
	// DefaultBranch is main when empty.
	DefaultBranch string
	// Files become the first commit on the default branch.
	Files map[string]string
	// FromGit is a local repository whose branches and tags are imported, instead of Files; its current branch is the default.
	FromGit string
	// MergeMethods allowed of merge, squash and rebase; empty: all three.
	MergeMethods []string
	// DeleteBranchOnMerge lets GitHub delete the head branch after a merge.
	DeleteBranchOnMerge bool
	// NoIssues turns issues off: their routes answer 410.
	NoIssues bool
}

type repository struct {
	id                       int64
	owner                    *user
	name                     string
	private, archived        bool
	noIssues, deleteHead     bool
	defaultBranch            string
	methods                  []string
	roles                    map[int64]role   // by account ID
	custom                   map[int64]string // names of custom roles, by account ID
	teams                    map[int64]role   // by team ID
	inTeam                   func(team int64, u *user) bool
	created, pushed, updated time.Time

	lastNumber  int
	issues      map[int]*issue // pull requests too
	comments    map[int64]*comment
	labels      map[string]*label // by lower-case name
	runs        map[int64]*checkRun
	suites      map[int64]*checkSuite
	autoMerge   bool          // allowed
	merging     bool          // a look at waiting merges is due
	pinned      []int         // numbers of issues
	queue       []*issue      // the merge queue
	stale       []string      // temporary branches of the merge queue to remove
	deployments []*Deployment // oldest first
	releases    []*Release    // in the order in which they were made
	parent      int64         // ID of the repository that this is a fork of
	wrote       time.Time     // when something last happened
	rulesets    []*ruleset
	statuses    []*Status         // oldest first
	refs        map[string]string // branches and tags as last seen

	push sync.Mutex // held while refs move; taken before the simulator's mutex
}

func (r *repository) fullName() string { return r.owner.login + "/" + r.name }

// CreateRepo makes a repository; an owner that does not exist becomes an organization. Creating sends no webhook.
func (s *Sim) CreateRepo(owner, name string, opts RepoOptions) (Repo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := strings.ToLower(owner + "/" + name)
	if old := s.repos[s.names[key]]; old != nil && strings.EqualFold(old.fullName(), owner+"/"+name) {
		return Repo{}, fmt.Errorf("create repository: %s/%s exists already", owner, name)
	}
	r := s.newRepository(owner, name, opts)
	if err := s.fill(r, opts); err != nil {
		return Repo{}, fmt.Errorf("create repository %s/%s: %w", owner, name, err)
	}
	s.repos[r.id], s.names[key] = r, r.id
	return s.handle(r), nil
}

func (s *Sim) newRepository(owner, name string, opts RepoOptions) *repository {
	now := s.now()
	r := &repository{
		id: s.nextID(), owner: s.ownerOf(owner), name: name, private: opts.Private, noIssues: opts.NoIssues,
		deleteHead: opts.DeleteBranchOnMerge, defaultBranch: opts.DefaultBranch, methods: opts.MergeMethods,
		roles: map[int64]role{}, custom: map[int64]string{}, teams: map[int64]role{}, inTeam: s.inTeam, created: now, pushed: now, updated: now, issues: map[int]*issue{}, comments: map[int64]*comment{},
		labels: map[string]*label{}, runs: map[int64]*checkRun{}, suites: map[int64]*checkSuite{}, refs: map[string]string{},
	}
	if r.defaultBranch == "" {
		r.defaultBranch = "main"
	}
	if len(r.methods) == 0 {
		r.methods = []string{"merge", "squash", "rebase"}
	}
	return r
}

// fill makes the git side of a new repository.
func (s *Sim) fill(r *repository, opts RepoOptions) (err error) {
	if opts.FromGit != "" {
		err = s.importGit(r, opts.FromGit)
	} else {
		err = s.initGit(r)
	}
	if err == nil && len(opts.Files) > 0 {
		by := Signature{Name: r.owner.login, Email: r.owner.email(), When: s.now()}
		err = s.writeCommit(r, r.defaultBranch, "", opts.Files, "Initial commit", by)
	}
	if err == nil {
		r.refs, err = s.readRefs(r)
	}
	return err
}

// SetPermission gives a person a role on a repository: admin, maintain, write, triage, read or none.
func (s *Sim) SetPermission(repo Repo, login, name string) error {
	level, known := parseRole(name)
	if !known {
		return fmt.Errorf("set permission: %q is none of %s", name, strings.Join(roleNames, ", "))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.repos[repo.ID]
	if r == nil {
		return fmt.Errorf("set permission: there is no repository %d", repo.ID)
	}
	id := s.addPerson(login).id
	r.roles[id] = level
	delete(r.custom, id)
	return nil
}

func (s *Sim) handle(r *repository) Repo {
	return Repo{
		ID: r.id, Owner: r.owner.login, Name: r.name, DefaultBranch: r.defaultBranch, Private: r.private, Archived: r.archived,
		CloneURL: s.web("/" + r.fullName() + ".git"),
	}
}

// reposIn lists the repositories of a set by ID.
func (s *Sim) reposIn(ids map[int64]bool) []*repository {
	var all []*repository
	for id := range ids {
		if r := s.repos[id]; r != nil {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b *repository) int { return int(a.id - b.id) })
	return all
}

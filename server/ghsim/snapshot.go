package ghsim

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Issue is an issue or pull request as it stands.
type Issue struct {
	ID                         int64
	Number                     int
	Title, Body, State, Author string
	Labels                     []string
	IsPullRequest              bool
	Created, Updated           time.Time
	Closed                     time.Time // zero while open
	Comments                   int
}

// Comment is a comment as it stands.
type Comment struct {
	ID               int64
	Author, Body     string
	Created, Updated time.Time
	Reactions        []Reaction
}

// Reaction is one person's reaction: +1, -1, laugh, hooray, confused, heart, rocket or eyes.
type Reaction struct{ Author, Content string }

// PullRequest is a pull request as it stands.
type PullRequest struct {
	Issue
	Head, HeadSHA, Base, BaseSHA string
	Draft, Merged                bool
	MergedBy                     string
	MergedAt                     time.Time
	// MergeCommit is what the merge made; empty before.
	MergeCommit string
}

// CheckRun is a check run as it stands.
type CheckRun struct {
	ID                   int64
	App                  string // its slug
	Name, HeadSHA        string
	ExternalID           string
	Status, Conclusion   string
	Title, Summary, Text string
	DetailsURL           string
	Started, Completed   time.Time
	Actions              []CheckAction
	// Annotations have the fields of the API's input.
	Annotations []map[string]any
}

// Repos lists all repositories by ID.
func (s *Sim) Repos() []Repo {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Repo
	for _, r := range s.repos {
		out = append(out, s.handle(r))
	}
	slices.SortFunc(out, func(a, b Repo) int { return int(a.ID - b.ID) })
	return out
}

// RepoByID gives a repository under its present name.
func (s *Sim) RepoByID(id int64) (Repo, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.repos[id]; r != nil {
		return s.handle(r), true
	}
	return Repo{}, false
}

// RepoByName finds owner/name; a former name finds the repository too.
func (s *Sim) RepoByName(fullName string) (Repo, bool) {
	s.mu.Lock()
	id := s.names[strings.ToLower(fullName)]
	s.mu.Unlock()
	return s.RepoByID(id)
}

// look runs f on the repository under the lock; for one that does not exist it does nothing.
func (s *Sim) look(repo Repo, f func(*repository)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.repos[repo.ID]; r != nil {
		f(r)
	}
}

// Issues lists issues without pull requests, by number.
func (s *Sim) Issues(repo Repo) []Issue {
	var out []Issue
	s.look(repo, func(r *repository) {
		for _, i := range r.issues {
			if i.pull == nil {
				out = append(out, i.snapshot())
			}
		}
	})
	slices.SortFunc(out, func(a, b Issue) int { return a.Number - b.Number })
	return out
}

func (i *issue) snapshot() Issue {
	out := Issue{
		ID: i.id, Number: i.number, Title: i.title, Body: i.body, State: i.state, Author: i.user.login, IsPullRequest: i.pull != nil,
		Created: i.created, Updated: i.updated, Closed: i.closed, Comments: len(i.comments),
	}
	for _, l := range i.labels {
		out.Labels = append(out.Labels, l.name)
	}
	return out
}

// PullRequests lists pull requests by number.
func (s *Sim) PullRequests(repo Repo) []PullRequest {
	var out []PullRequest
	s.look(repo, func(r *repository) {
		for _, i := range slices.Backward(r.pulls()) {
			out = append(out, i.pullSnapshot())
		}
	})
	return out
}

func (i *issue) pullSnapshot() PullRequest {
	p := i.pull
	out := PullRequest{
		Issue: i.snapshot(), Head: p.head, HeadSHA: p.headSHA, Base: p.base, BaseSHA: p.baseSHA, Draft: p.draft, Merged: p.merged,
		MergedAt: p.mergedAt, MergeCommit: p.mergeSHA,
	}
	if p.mergedBy != nil {
		out.MergedBy = p.mergedBy.login
	}
	return out
}

// Comments lists the comments of an issue or pull request, oldest first.
func (s *Sim) Comments(repo Repo, number int) []Comment {
	var out []Comment
	s.look(repo, func(r *repository) {
		if i := r.issues[number]; i != nil {
			for _, c := range i.comments {
				out = append(out, c.snapshot())
			}
		}
	})
	return out
}

func (c *comment) snapshot() Comment {
	out := Comment{ID: c.id, Author: c.user.login, Body: c.body, Created: c.created, Updated: c.updated}
	for _, r := range c.reactions {
		out.Reactions = append(out.Reactions, Reaction{Author: r.user.login, Content: r.content})
	}
	return out
}

// CheckRuns lists all check runs, oldest first.
func (s *Sim) CheckRuns(repo Repo) []CheckRun {
	var out []CheckRun
	s.look(repo, func(r *repository) {
		for _, run := range r.runs {
			out = append(out, run.snapshot())
		}
	})
	slices.SortFunc(out, func(a, b CheckRun) int { return int(a.ID - b.ID) })
	return out
}

func (run *checkRun) snapshot() CheckRun {
	return CheckRun{
		ID: run.id, App: run.suite.app.slug, Name: run.name, HeadSHA: run.suite.sha, ExternalID: run.externalID, Status: run.status,
		Conclusion: run.conclusion, Title: deref(run.title), Summary: deref(run.summary), Text: deref(run.text), DetailsURL: run.detailsURL,
		Started: run.started, Completed: run.completed, Actions: slices.Clone(run.actions), Annotations: slices.Clone(run.annotations),
	}
}

// Branches maps each branch to the commit at its tip.
func (s *Sim) Branches(repo Repo) map[string]string {
	out := map[string]string{}
	s.look(repo, func(r *repository) {
		for ref, sha := range r.refs {
			if name, is := strings.CutPrefix(ref, "refs/heads/"); is {
				out[name] = sha
			}
		}
	})
	return out
}

// File gives a file's content at a branch, tag or commit.
func (s *Sim) File(repo Repo, ref, path string) (string, error) {
	out, err := s.gitAt(repo, ref, func(r *repository, sha string) ([]byte, error) {
		return s.git.run(s.gitDir(r), nil, "cat-file", "blob", sha+":"+path)
	})
	if err != nil {
		return "", fmt.Errorf("file %s: %w", path, err)
	}
	return string(out), nil
}

// Files lists the paths of all files at a branch, tag or commit.
func (s *Sim) Files(repo Repo, ref string) ([]string, error) {
	out, err := s.gitAt(repo, ref, func(r *repository, sha string) ([]byte, error) {
		return s.git.run(s.gitDir(r), nil, "ls-tree", "-r", "-z", "--name-only", sha)
	})
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimRight(string(out), "\x00"), "\x00"), nil
}

// Log lists the commits of a branch, tag or commit, newest first.
func (s *Sim) Log(repo Repo, ref string) ([]Commit, error) {
	var commits []Commit
	_, err := s.gitAt(repo, ref, func(r *repository, sha string) (_ []byte, err error) {
		commits, err = s.logOf(r, sha)
		return nil, err
	})
	return commits, err
}

// gitAt resolves a ref and runs f on its commit, outside the lock: objects never change.
func (s *Sim) gitAt(repo Repo, ref string, f func(*repository, string) ([]byte, error)) ([]byte, error) {
	var r *repository
	var sha string
	s.look(repo, func(found *repository) { r, sha = found, s.commitOf(found, ref) })
	if r == nil {
		return nil, fmt.Errorf("there is no repository %d", repo.ID)
	}
	if sha == "" {
		return nil, fmt.Errorf("%s has no %q", repo.FullName(), ref)
	}
	return f(r, sha)
}

// Changes lists the files of a pull request with their patches.
func (s *Sim) Changes(repo Repo, number int) ([]FileChange, error) {
	var out []FileChange
	err := fmt.Errorf("%s has no pull request #%d", repo.FullName(), number)
	s.look(repo, func(r *repository) {
		i := r.issues[number]
		if i == nil || i.pull == nil {
			return
		}
		if out, err = s.changedFiles(i); err != nil {
			return
		}
		for n := range out {
			if out[n].Patch, err = s.patch(i, out[n].Path); err != nil {
				return
			}
		}
	})
	return out, err
}

package ghsim

import (
	"slices"
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
	// Fork is the owner of the fork that the head is in; empty for a branch of the repository itself.
	Fork          string
	Draft, Merged bool
	MergedBy      string
	MergedAt      time.Time
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
		Issue: i.snapshot(), Head: p.head, HeadSHA: p.headSHA, Base: p.base, BaseSHA: p.baseSHA, Fork: p.forkOwner, Draft: p.draft, Merged: p.merged,
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

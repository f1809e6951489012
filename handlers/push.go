package handlers

import (
	"errors"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// mostCommits is how many commits a push payload lists at most; a push of as
// many or more may have left some out.
// https://docs.github.com/en/webhooks/webhook-events-and-payloads#push
const mostCommits = 2048

// mostPaths is how many files of one commit are believed to be all of them: how many
// a payload names at most is not documented, and the API for commits names 300.
const mostPaths = 300

// queuePrefix starts the branches that GitHub's merge queue makes and removes
// by itself. They are nobody's change.
const queuePrefix = "gh-readonly-queue/"

type pushPayload struct {
	envelope
	Ref     string `json:"ref"`
	Before  string `json:"before"`
	After   string `json:"after"`
	Created bool   `json:"created"`
	Deleted bool   `json:"deleted"`
	Forced  bool   `json:"forced"`
	Pusher  struct {
		Name string `json:"name"`
	} `json:"pusher"`
	Commits []pushCommit `json:"commits"`
}

type pushCommit struct {
	ID      string `json:"id"`
	Message string `json:"message"`
	Author  struct {
		Username string `json:"username"`
	} `json:"author"`
	Added    []string `json:"added"`
	Removed  []string `json:"removed"`
	Modified []string `json:"modified"`
}

// push tells of branches that moved, and of tags that they did.
func (t Translator) push(payload []byte) ([]promotion.Event, error) {
	p, err := decode[pushPayload](payload)
	if err != nil {
		return nil, err
	}
	if p.Ref == "" || p.After == "" {
		return nil, errors.New("the push names no ref or no commit")
	}
	branch, ok := strings.CutPrefix(p.Ref, "refs/heads/")
	tag := strings.HasPrefix(p.Ref, "refs/tags/")
	if !ok && !tag {
		return nil, nil
	}
	if p.Repository == nil {
		return nil, errNoRepository
	}
	if strings.HasPrefix(branch, queuePrefix) {
		if group, ok := p.grouped(branch); ok {
			return p.one(p.Repository.PushedAt.Time, group)
		}
		return nil, nil
	}
	if tag {
		return p.one(p.Repository.PushedAt.Time, p.heard()[0])
	}
	return p.one(p.Repository.PushedAt.Time, promotion.Pushed{
		Branch:   branch,
		Before:   p.Before,
		After:    p.After,
		Forced:   p.Forced,
		Pusher:   p.pusher(),
		Commits:  p.commits(),
		Complete: p.complete(),
	})
}

// pusher is a login. For a deploy key, pusher.name is not one, but sender is.
func (p *pushPayload) pusher() string {
	if p.Sender.Login != "" {
		return p.Sender.Login
	}
	return p.Pusher.Name
}

// complete reports whether the list holds every commit of the push, with its files. A branch
// that was made lists only what no other branch has, and a forced push says
// nothing about the commits that it took away.
func (p *pushPayload) complete() bool {
	whole := !p.Created && !p.Deleted && !p.Forced
	return whole && len(p.Commits) > 0 && len(p.Commits) < mostCommits && !slices.ContainsFunc(p.Commits, pushCommit.large)
}

func (c pushCommit) large() bool { return len(c.Added)+len(c.Modified)+len(c.Removed) >= mostPaths }

func (p *pushPayload) commits() []promotion.PushedCommit {
	out := make([]promotion.PushedCommit, len(p.Commits))
	for i, c := range p.Commits {
		out[i] = promotion.PushedCommit{
			SHA:     c.ID,
			Message: c.Message,
			Author:  c.Author.Username,
			Paths:   slices.Concat(c.Added, c.Modified, c.Removed),
		}
	}
	return out
}

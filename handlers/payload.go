package handlers

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

var (
	errNoRepository   = errors.New("the payload names no repository")
	errNoInstallation = errors.New("the payload names no installation")
	errNoAction       = errors.New("the payload names no action")
	errNoPackage      = errors.New("the payload names no package")
)

// envelope is what the payloads have in common. Which members are there depends
// on the event: https://docs.github.com/en/webhooks/webhook-events-and-payloads
type envelope struct {
	Action       string       `json:"action"`
	Repository   *repository  `json:"repository"`
	Installation installation `json:"installation"`
	Sender       user         `json:"sender"`
}

// user is an account; Type is User, Organization, Bot or Mannequin.
type user struct {
	ID    int64  `json:"id"`
	Login string `json:"login"`
	Type  string `json:"type"`
}

type installation struct {
	ID        int64 `json:"id"`
	UpdatedAt stamp `json:"updated_at"`
}

// repository is GitHub's. In installation events it has no more than ID, Name,
// FullName and Private.
type repository struct {
	ID            int64  `json:"id"`
	Name          string `json:"name"`
	FullName      string `json:"full_name"`
	DefaultBranch string `json:"default_branch"`
	Archived      bool   `json:"archived"`
	Fork          bool   `json:"fork"`
	Private       bool   `json:"private"`
	HasIssues     *bool  `json:"has_issues"`
	PushedAt      stamp  `json:"pushed_at"`
	UpdatedAt     stamp  `json:"updated_at"`
}

// repo is the repository as the core names it.
func (r *repository) repo(installation int64) promotion.Repo {
	owner, _, _ := strings.Cut(r.FullName, "/")
	return promotion.Repo{
		ID:            r.ID,
		Owner:         owner,
		Name:          r.Name,
		DefaultBranch: r.DefaultBranch,
		Installation:  installation,
		Idle:          r.idle(),
		NoIssues:      r.HasIssues != nil && !*r.HasIssues,
		Private:       r.Private,
	}
}

// idle says why nothing runs in the repository; empty: it runs.
func (r *repository) idle() string {
	switch {
	case r.Archived:
		return "archived"
	case r.Fork:
		return "fork"
	}
	return ""
}

// decode reads a payload. The whole of it must be one JSON value.
func decode[T any](payload []byte) (*T, error) {
	var v T
	if err := json.Unmarshal(payload, &v); err != nil {
		return nil, fmt.Errorf("read the payload: %w", err)
	}
	return &v, nil
}

// one makes the list of the one event that a payload about a repository gives.
func (e *envelope) one(at time.Time, body promotion.EventBody) ([]promotion.Event, error) {
	if e.Repository == nil || e.Repository.ID == 0 {
		return nil, errNoRepository
	}
	return []promotion.Event{{Repo: e.Repository.repo(e.Installation.ID), At: at, Body: body}}, nil
}

// stamp is a time. GitHub writes RFC 3339 in most places and seconds since 1970
// in a push's repository. A time that cannot be read is zero, that is unknown:
// it is not worth losing a delivery for.
type stamp struct{ time.Time }

func (s *stamp) UnmarshalJSON(text []byte) error {
	var seconds int64
	if json.Unmarshal(text, &seconds) == nil && seconds > 0 {
		s.Time = time.Unix(seconds, 0).UTC()
		return nil
	}
	var t time.Time
	if json.Unmarshal(text, &t) == nil && !t.IsZero() {
		s.Time = t.UTC()
	}
	return nil
}

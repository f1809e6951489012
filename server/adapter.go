package server

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/handlers"
	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
	"github.com/stagecoach-app/stagecoach/server/eventlog"
	"github.com/stagecoach-app/stagecoach/server/store"
	"github.com/stagecoach-app/stagecoach/server/worker"
)

// journal is the event log as the worker sees it.
type journal struct {
	log   *eventlog.Log
	ahead func() time.Duration // of GitHub's clock, by which the worker goes
}

func delivery(e eventlog.Event) worker.Delivery {
	return worker.Delivery{GUID: e.GUID, Type: e.Type, Key: e.Key, Payload: payloadOf(e), Tries: e.Tries, Ref: e}
}

// payloadOf is the event's payload. The log's own wakes come without one: all
// that there is to say is whose they are.
func payloadOf(e eventlog.Event) []byte {
	repo, isRepo := strings.CutPrefix(e.Key, "r")
	id, err := strconv.ParseInt(repo, 10, 64)
	if e.Type != eventlog.WakeType || !isRepo || err != nil {
		return e.Payload
	}
	_, payload := handlers.Internal(handlers.Wake, promotion.Repo{ID: id})
	return payload
}

func (j journal) Accept(ctx context.Context, guid, eventType, key string, payload []byte) error {
	_, err := j.log.Accept(ctx, guid, eventType, key, payload)
	return err
}

func (j journal) Done(ctx context.Context, d worker.Delivery) error {
	return j.log.Done(ctx, d.Ref.(eventlog.Event))
}

func (j journal) Retry(ctx context.Context, d worker.Delivery, after time.Duration, reason string) error {
	return j.log.Retry(ctx, d.Ref.(eventlog.Event), after, reason)
}

func (j journal) SetAside(ctx context.Context, d worker.Delivery, reason string) error {
	return j.log.SetAside(ctx, d.Ref.(eventlog.Event), reason)
}

func (j journal) Wake(ctx context.Context, key string, at time.Time) error {
	if !at.IsZero() {
		at = at.Add(-j.ahead())
	}
	return j.log.Wake(ctx, key, at)
}

// shelf is the store as the worker sees it.
type shelf struct{ *store.Store }

func (s shelf) Load(ctx context.Context, repo int64) (*promotion.State, uint64, error) {
	state, revision, err := s.Store.Load(ctx, repo)
	if errors.Is(err, store.ErrNone) {
		return nil, 0, nil
	}
	return state, revision, err
}

func (s shelf) Known(ctx context.Context, repo int64) (hasPipeline, known bool, err error) {
	e, known := s.Repo(ctx, repo)
	return e.HasPipeline, known, nil
}

func (s shelf) Note(ctx context.Context, repo promotion.Repo, hasPipeline bool) error {
	known, _ := s.Repo(ctx, repo.ID)
	return s.PutRepo(ctx, store.Entry{Repo: repo, HasPipeline: hasPipeline, Watches: known.Watches})
}

func (s shelf) OfInstallation(ctx context.Context, installation int64) ([]promotion.Repo, error) {
	entries := s.Installation(ctx, installation)
	repos := make([]promotion.Repo, len(entries))
	for i, e := range entries {
		repos[i] = e.Repo
	}
	return repos, nil
}

// record is the tracking issue as the worker sees it.
type record struct {
	api    *ghapi.API
	key    []byte
	links  ledger.Links
	accept func(ctx context.Context, guid, eventType, key string, payload []byte) (bool, error)
}

func (s *Server) ledger() record {
	return record{api: s.api, key: s.Settings.LedgerKey, links: ledger.Links{WebURL: s.Settings.WebURL}, accept: s.log.Accept}
}

// Load takes that there is no valid ledger for none: what GitHub shows besides
// is looked at in any case. A ledger newer than this binary is left alone.
func (r record) Load(ctx context.Context, repo promotion.Repo) (*promotion.State, error) {
	if repo.NoIssues {
		return r.fromCheck(ctx, repo, false)
	}
	s, err := r.fromIssue(ctx, repo)
	if errors.Is(err, promotion.ErrIssuesOff) {
		return r.fromCheck(ctx, repo, false)
	}
	if err != nil {
		return nil, err
	}
	return r.newer(ctx, repo, s)
}

// newer is the state of the tracking issue or, if Issues were off until a moment ago
// and nobody has moved the ledger back yet, that of the check run on the tip.
func (r record) newer(ctx context.Context, repo promotion.Repo, s *promotion.State) (*promotion.State, error) {
	moved, err := r.fromCheck(ctx, repo, true)
	switch {
	case err != nil:
		return nil, err
	case moved == nil, s != nil && moved.Revision <= s.Revision:
		return s, nil
	case s != nil:
		moved.Issue = s.Issue
	}
	return moved, nil
}

// fromIssue reads the tracking issue; nil: there is none.
func (r record) fromIssue(ctx context.Context, repo promotion.Repo) (*promotion.State, error) {
	s, err := r.api.LoadLedger(ctx, repo, 0)
	if err == nil {
		err = r.takeOwed(ctx, repo, s)
	}
	var unreadable *ghapi.LedgerError
	if !errors.As(err, &unreadable) {
		return s, err
	}
	if errors.Is(err, ledger.ErrNewer) {
		return nil, fmt.Errorf("upgrade this server: %w", err)
	}
	if unreadable.Issue == 0 {
		return nil, nil
	}
	// The issue is ours, and what it holds is not valid: it is written anew.
	return &promotion.State{Version: promotion.StateVersion, Issue: unreadable.Issue, Problems: []promotion.Problem{{
		Key: "ledger", Text: "The record in this issue could not be used and was made anew from what GitHub shows: " + err.Error(),
	}}}, nil
}

// fromCheck reads the check run that holds the ledger while Issues are off; nil: there
// is none that is valid.
func (r record) fromCheck(ctx context.Context, repo promotion.Repo, shallow bool) (*promotion.State, error) {
	s, err := r.api.LoadLedgerCheck(ctx, repo, shallow)
	if err == nil {
		err = r.takeOwed(ctx, repo, s)
	}
	var unreadable *ghapi.LedgerError
	switch {
	case !errors.As(err, &unreadable):
		return s, err
	case errors.Is(err, ledger.ErrNewer):
		return nil, fmt.Errorf("upgrade this server: %w", err)
	}
	return nil, nil
}

// owedFor is how far back a command may be owed: as long as ledgers tell which were
// answered.
const owedFor = 8 * 24 * time.Hour

// takeOwed appends the deliveries of comments that were seen and not answered. Their
// store is lost, or nobody would load the ledger, and so their log may be.
func (r record) takeOwed(ctx context.Context, repo promotion.Repo, s *promotion.State) error {
	owed, err := r.api.Owed(ctx, repo, s, time.Now().Add(-owedFor))
	if err != nil {
		return fmt.Errorf("look for commands that are not answered: %w", err)
	}
	for _, o := range owed {
		if _, err := r.accept(ctx, fmt.Sprintf("owed-%d", o.Comment), "issue_comment", fmt.Sprintf("r%d", repo.ID), o.Payload); err != nil {
			return fmt.Errorf("append the comment %d: %w", o.Comment, err)
		}
	}
	return nil
}

func (r record) Hash(s *promotion.State) (string, error) {
	return ledger.Hash(s.Answered(), r.key, r.links)
}

// Save writes the tracking issue or, where Issues are off, a check run. What moved
// back leaves word of it where it was.
func (r record) Save(ctx context.Context, s *promotion.State, look bool) (worker.LedgerAt, error) {
	if s.Repo.NoIssues {
		at, err := r.api.SaveLedgerCheck(ctx, s, look)
		return worker.LedgerAt{Issue: s.Issue, Check: at}, err
	}
	issue, err := r.api.SaveLedger(ctx, s, look)
	var remade *ghapi.Remade
	if err != nil && !errors.As(err, &remade) {
		return worker.LedgerAt{}, err
	}
	if s.Local.LedgerCheck.ID != 0 {
		moved := *s
		moved.Issue = issue
		if err := r.api.LeaveLedgerCheck(ctx, &moved); err != nil {
			zerolog.Ctx(ctx).Warn().Err(err).Msg("the check run that held the ledger still shows an old one")
		}
	}
	return worker.LedgerAt{Issue: issue}, nil
}

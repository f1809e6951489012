package server

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stagecoach-app/stagecoach/server/dashboard"
	"github.com/stagecoach-app/stagecoach/server/eventlog"
)

// openPages makes the dashboard, if the settings that it needs are there.
func (s *Server) openPages(context.Context) (err error) {
	set := s.Settings
	opts := dashboard.Options{
		Store: s.store, WebURL: set.WebURL, V3URL: set.V3URL, PublicURL: set.PublicURL,
		ClientID: set.OAuthClientID, ClientSecret: set.OAuthClientSecret, Transport: s.Transport, Aside: (&asides{log: s.log}).list,
	}
	if len(opts.Missing()) == 0 {
		s.pages, err = dashboard.New(opts)
	}
	return err
}

// dashboard serves what nothing else does.
func (s *Server) dashboard() http.Handler {
	if s.pages != nil {
		return s.pages.Handler()
	}
	set := s.Settings
	return dashboard.Off(dashboard.Options{PublicURL: set.PublicURL, ClientID: set.OAuthClientID, ClientSecret: set.OAuthClientSecret}.Missing(), set.WebURL)
}

// asidesFor is how long a list of the events that were set aside counts on pages.
const asidesFor = 30 * time.Second

// asides lists the events that were set aside, for pages that many may ask for at once.
type asides struct {
	log *eventlog.Log

	mu   sync.Mutex
	at   time.Time
	last []dashboard.Aside
}

func (a *asides) list(ctx context.Context) ([]dashboard.Aside, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if time.Since(a.at) < asidesFor {
		return a.last, nil
	}
	all, err := a.log.Aside(ctx)
	if err != nil {
		return nil, err
	}
	a.at, a.last = time.Now(), nil
	for _, e := range all {
		id, isRepo := strings.CutPrefix(e.Key, "r")
		if repo, err := strconv.ParseInt(id, 10, 64); isRepo && err == nil {
			a.last = append(a.last, dashboard.Aside{Repo: repo, Type: e.Type, GUID: e.GUID, Reason: e.Reason, At: e.At})
		}
	}
	return a.last, nil
}

package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/google/go-github/v57/github"
	"github.com/palantir/go-githubapp/githubapp"
	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/handlers"
	"github.com/stagecoach-app/stagecoach/server/eventlog"
)

// maxBody is a little more than the 25 MB beyond which GitHub sends nothing
// (https://docs.github.com/en/webhooks/webhook-events-and-payloads).
const maxBody = 25<<20 + 1<<20

// routes are all paths that the server answers.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST "+githubapp.DefaultWebhookRoute, s.measures.counted(s.webhook()))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", s.ready)
	mux.Handle("GET /metrics", s.operator(s.metrics))
	mux.Handle("GET /events", s.operator(s.events))
	mux.Handle("POST /events/{guid}/replay", s.operator(s.replay))
	mux.Handle("/", s.dashboard())
	return hardened(mux)
}

// webhook checks the signature against each secret that is good, and hands what
// it signs to go-githubapp's dispatcher, whose scheduler is the event log.
func (s *Server) webhook() http.Handler {
	secrets := append([]string{s.Settings.WebhookSecret}, s.Settings.OldWebhookSecrets...)
	var scheduler githubapp.Scheduler = s.log
	if s.WrapScheduler != nil {
		scheduler = s.WrapScheduler(scheduler)
	}
	scheduler = herald{scheduler, s.store, s.log.Accept}
	dispatchers := make([]http.Handler, len(secrets))
	for i, secret := range secrets {
		dispatchers[i] = githubapp.NewEventDispatcher([]githubapp.EventHandler{handlers.Hook{}}, secret,
			githubapp.WithScheduler(scheduler), githubapp.WithErrorCallback(refused))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		var large *http.MaxBytesError
		switch {
		case errors.As(err, &large):
			http.Error(w, "The body is larger than GitHub sends.", http.StatusRequestEntityTooLarge)
			return
		case err != nil:
			http.Error(w, "The body could not be read.", http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		dispatchers[signedBy(r, body, secrets)].ServeHTTP(w, r)
	})
}

// signedBy is the secret that signed the body; the first when none did, whose
// dispatcher then refuses it.
func signedBy(r *http.Request, body []byte, secrets []string) int {
	signature := r.Header.Get("X-Hub-Signature-256")
	if signature == "" {
		signature = r.Header.Get("X-Hub-Signature")
	}
	for i, secret := range secrets {
		if github.ValidateSignature(signature, body, []byte(secret)) == nil {
			return i
		}
	}
	return 0
}

// refused answers what the dispatcher did not take. GitHub shows the text beside
// the delivery.
func refused(w http.ResponseWriter, r *http.Request, err error) {
	var invalid githubapp.ValidationError
	switch {
	case errors.As(err, &invalid):
		zerolog.Ctx(r.Context()).Warn().Err(invalid.Cause).Msg("a delivery was refused")
		http.Error(w, "The signature or a header is wrong: is the webhook secret the same here and in the App's settings?", http.StatusBadRequest)
	case errors.Is(err, githubapp.ErrCapacityExceeded):
		w.Header().Set("Retry-After", "10")
		http.Error(w, "Nothing can be stored now; redeliver later.", http.StatusServiceUnavailable)
	default:
		zerolog.Ctx(r.Context()).Error().Err(err).Msg("a delivery was not accepted")
		http.Error(w, "The delivery could not be accepted; redeliver later.", http.StatusInternalServerError)
	}
}

// ready says whether deliveries may be accepted.
func (s *Server) ready(w http.ResponseWriter, _ *http.Request) {
	if err := s.engine.Healthy(); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ready")
}

// operator lets in who runs the server: requests from this machine that no
// proxy passed on, and those with the token.
func (s *Server) operator(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !local(r) && !s.hasToken(r) {
			http.Error(w, "Set STAGECOACH_METRICS_TOKEN and send it as a bearer token, or ask from the machine itself.", http.StatusForbidden)
			return
		}
		next(w, r)
	})
}

func local(r *http.Request) bool {
	for _, passedOn := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"} {
		if r.Header.Get(passedOn) != "" {
			return false
		}
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	ip := net.ParseIP(host)
	return err == nil && ip != nil && ip.IsLoopback()
}

func (s *Server) hasToken(r *http.Request) bool {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && s.Settings.MetricsToken != "" && equal(token, s.Settings.MetricsToken)
}

// events lists what was set aside: what it was, and why.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	aside, err := s.log.Aside(r.Context())
	if err != nil {
		http.Error(w, "The event log cannot be read: "+err.Error(), http.StatusServiceUnavailable)
		return
	}
	stats, err := s.log.Stats(r.Context())
	if err != nil {
		http.Error(w, "The event log cannot be read: "+err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"stats": stats, "aside": aside})
}

// replay takes up a delivery again that was set aside.
func (s *Server) replay(w http.ResponseWriter, r *http.Request) {
	switch err := s.log.Replay(r.Context(), r.PathValue("guid")); {
	case err == nil:
		w.WriteHeader(http.StatusNoContent)
	case errors.Is(err, eventlog.ErrNotAside):
		http.Error(w, "No delivery of that name is set aside; GET /events lists those that are.", http.StatusNotFound)
	default:
		http.Error(w, err.Error(), http.StatusConflict)
	}
}

// hardened sets the headers that keep browsers from doing more than showing text.
func hardened(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}

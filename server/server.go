package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/palantir/go-githubapp/githubapp"
	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/gitops/egress"
	"github.com/stagecoach-app/stagecoach/handlers"
	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
	"github.com/stagecoach-app/stagecoach/server/dashboard"
	"github.com/stagecoach-app/stagecoach/server/engine"
	"github.com/stagecoach-app/stagecoach/server/eventlog"
	"github.com/stagecoach-app/stagecoach/server/registry"
	"github.com/stagecoach-app/stagecoach/server/runner"
	"github.com/stagecoach-app/stagecoach/server/store"
	"github.com/stagecoach-app/stagecoach/server/worker"
)

// Config is what a Server is made of.
type Config struct {
	Settings *config.Settings // required
	Version  string           // for the user agent; empty: "dev"
	Log      zerolog.Logger   // the zero value is silent
	Listener net.Listener     // nil: one on Settings.Addr
	// Transport carries requests to GitHub, API and git; nil: one with timeouts.
	Transport http.RoundTripper
	// SweepEvery is the time between two looks for failed deliveries; 0: a minute.
	SweepEvery time.Duration
	// LetEnd is how long Stop waits for what is under way before it cuts it off; 0: as
	// long as its context leaves, less the seconds that closing takes.
	LetEnd time.Duration
	// WrapStore puts something between the worker and the store; nil: nothing.
	WrapStore func(worker.Store) worker.Store
	// WrapLog does so between the worker and the event log, and WrapScheduler
	// between the webhook and the event log.
	WrapLog       func(worker.Log) worker.Log
	WrapScheduler func(githubapp.Scheduler) githubapp.Scheduler
}

// Server is one running Stagecoach.
type Server struct {
	Config
	engine   *engine.Engine
	log      *eventlog.Log
	store    *store.Store
	git      *gitops.Engine
	api      *ghapi.API
	bases    *gitops.Engine // of bases on other hosts than GitHub; nil: none may be named
	outside  *http.Client   // to addresses that pipelines name
	policy   *egress.Policy // judges every connection that a pipeline asks for
	registry *registry.Client
	measures *measures
	outdated outdated             // whether the store was found to be older than what happened
	pages    *dashboard.Dashboard // nil: it is off
	listener net.Listener
	http     *http.Server

	mu      sync.Mutex
	worker  *worker.Worker     // nil until GitHub told who we are
	stop    context.CancelFunc // nil until Start
	stopped bool
	running sync.WaitGroup
	ended   chan struct{}
	err     error
}

// New opens the data directory and builds everything. Nothing listens yet.
func New(ctx context.Context, c Config) (*Server, error) {
	if c.Version == "" {
		c.Version = "dev"
	}
	s := &Server{Config: c, ended: make(chan struct{}), measures: newMeasures(c.Settings.MetricsStages)}
	ctx = c.Log.WithContext(ctx)
	for _, build := range []func(context.Context) error{s.openEngine, s.openGit, s.openOutside, s.openRegistry, s.openAPI, s.openPages, s.listen} {
		if err := build(ctx); err != nil {
			s.close(ctx)
			return nil, err
		}
	}
	return s, nil
}

func (s *Server) openEngine(ctx context.Context) (err error) {
	set := s.Settings
	if s.engine, err = engine.Open(ctx, engine.Options{Dir: set.DataDir, URL: set.NATSURL}); err != nil {
		return err
	}
	if s.store, err = store.Open(ctx, s.engine.JetStream(), store.Options{Replicas: s.engine.Replicas()}); err != nil {
		return fmt.Errorf("open the store: %w", err)
	}
	opts := eventlog.Options{Replicas: s.engine.Replicas(), Alone: s.engine.Embedded(), KeyOf: s.door}
	if opts.Alone {
		opts.Intake = filepath.Join(set.DataDir, "intake")
	}
	s.log, err = eventlog.Open(ctx, s.engine.JetStream(), opts)
	if err != nil {
		return fmt.Errorf("open the event log: %w", err)
	}
	return nil
}

func (s *Server) openGit(context.Context) (err error) {
	opts := gitops.Options{Transport: s.Transport, UserAgent: "git/stagecoach-" + s.Version, Disk: cmp.Or(s.Settings.CacheSize, math.MaxInt64), OnFetch: s.measures.fetched, OnPush: s.measures.pushed, OnRefused: func(token string) { s.api.Refused(token) }}
	if s.Settings.Pace {
		opts.MayPush = runner.PushPace()
	}
	s.git, err = gitops.New(filepath.Join(s.Settings.DataDir, "git"), opts)
	return err
}

func (s *Server) openOutside(context.Context) error {
	policy, err := egress.New(s.Settings.AllowHosts)
	if err != nil {
		return fmt.Errorf("STAGECOACH_ALLOW_HOSTS: %w", err)
	}
	s.policy, s.outside = policy, policy.Client()
	return s.openBases()
}

func (s *Server) openAPI(context.Context) (err error) {
	set := s.Settings
	s.api, err = ghapi.New(ghapi.Options{
		WebURL: set.WebURL, V3URL: set.V3URL, V4URL: set.V4URL, AppID: set.AppID, PrivateKey: []byte(set.PrivateKey),
		LedgerKeys: append([][]byte{set.LedgerKey}, set.OldLedgerKeys...),
		Transport:  s.Transport, UserAgent: "stagecoach/" + s.Version, NoPace: !set.Pace, Metrics: s.measures.github,
	})
	return err
}

func (s *Server) listen(context.Context) (err error) {
	if s.listener = s.Listener; s.listener == nil {
		if s.listener, err = net.Listen("tcp", s.Settings.Addr); err != nil {
			return fmt.Errorf("listen on %s (STAGECOACH_ADDR): %w", s.Settings.Addr, err)
		}
	}
	s.http = &http.Server{
		Handler: s.routes(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return s.Log.WithContext(context.Background()) },
	}
	if s.pages != nil {
		s.http.RegisterOnShutdown(s.pages.Close) // browsers hold its streams open for as long as they look
	}
	return nil
}

// Addr is where the server listens.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Start serves until Stop. Deliveries are accepted at once; they are worked on
// as soon as GitHub has told who we are.
func (s *Server) Start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != nil || s.stopped {
		return
	}
	ctx, stop := context.WithCancel(s.Log.WithContext(context.Background()))
	s.stop = stop
	s.running.Go(func() {
		if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			s.fail(err)
		}
	})
	s.running.Go(func() {
		if err := s.work(ctx); err != nil && ctx.Err() == nil {
			s.fail(err)
		}
	})
}

// Ended is closed when the server ends by itself; Err says why.
func (s *Server) Ended() <-chan struct{} { return s.ended }

// Err is why the server ended by itself; nil: it did not.
func (s *Server) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *Server) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
		close(s.ended)
	}
}

// work brings repositories forward until ctx ends.
func (s *Server) work(ctx context.Context) error {
	who, err := s.whoAreWe(ctx)
	if err != nil {
		return err
	}
	// The worker outlives ctx, which ends what brings it more: Stop lets it finish.
	w, err := s.newWorker(context.WithoutCancel(ctx), who)
	if err != nil {
		return err
	}
	if !s.take(w) {
		return nil
	}
	s.running.Go(func() { s.sweep().Run(ctx) })
	s.running.Go(func() { s.cleanClones(ctx) })
	return s.log.Run(ctx, func(e eventlog.Event) { w.Deliver(delivery(e)) })
}

// take keeps the worker for Stop, unless that was called already.
func (s *Server) take(w *worker.Worker) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopped {
		s.worker = w
	}
	return !s.stopped
}

// whoAreWe asks GitHub until it answers. What it refuses for good is an error
// of the settings.
func (s *Server) whoAreWe(ctx context.Context) (ghapi.AppInfo, error) {
	for try := 1; ; try++ {
		who, err := s.api.App(ctx)
		if err == nil || isFinal(err) {
			return who, err
		}
		s.Log.Warn().Err(err).Msg("GitHub does not answer; deliveries are accepted and wait")
		select {
		case <-time.After(pause(try, err)):
		case <-ctx.Done():
			return ghapi.AppInfo{}, ctx.Err()
		}
	}
}

func (s *Server) newWorker(ctx context.Context, who ghapi.AppInfo) (*worker.Worker, error) {
	run := runner.New(runner.Options{
		Git: s.git, GitHub: s.api, WebURL: s.Settings.WebURL, Client: s.outside, Bases: runner.Bases{Allowed: s.Settings.RemoteBases, Git: s.bases}, Registry: s.registry, Login: s.registry.Login, Find: s.find, Owned: s.owned, Known: s.known,
		Bot: func(context.Context) (gitops.Ident, error) { return bot(who), nil }, Commands: handlers.ParseCommands,
	})
	var kept worker.Store = shelf{s.store}
	if s.WrapStore != nil {
		kept = s.WrapStore(kept)
	}
	var log worker.Log = journal{s.log, s.api.Ahead}
	if s.WrapLog != nil {
		log = s.WrapLog(log)
	}
	translator := handlers.Translator{AppID: s.Settings.AppID, BotLogin: who.BotLogin}
	writer, err := s.store.Name(ctx)
	if err != nil {
		return nil, err
	}
	return worker.New(ctx, worker.Options{
		Log: log, Store: kept, Ledger: s.ledger(), Pipelines: watching{run, s.store}, Runner: run,
		Translate: translator.Translate, Internal: handlers.Internal, Describe: s.api.Repository,
		WebURL: s.Settings.WebURL, Insert: ledger.Insert, Writer: writer, OnState: s.progress, OnOutdated: s.lookAtAll, Now: s.api.Now,
	})
}

// bot is who commits.
func bot(who ghapi.AppInfo) gitops.Ident {
	return gitops.Ident{Name: who.BotLogin, Email: who.BotLogin + "@users.noreply.github.com"}
}

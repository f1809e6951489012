package server

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/palantir/go-githubapp/githubapp"
	gometrics "github.com/rcrowley/go-metrics"

	"github.com/stagecoach-app/stagecoach/server/metric"
)

// What is looked up when somebody asks.
var (
	build        = single(metric.Gauge, "stagecoach_build_info", "1, with the version as label.", "version")
	waiting      = single(metric.Gauge, "stagecoach_events_waiting", "Deliveries accepted and not yet handed to a worker.")
	inFlight     = single(metric.Gauge, "stagecoach_events_in_flight", "Deliveries that a worker holds.")
	retrying     = single(metric.Gauge, "stagecoach_events_retrying", "Deliveries that wait for their next try.")
	aside        = single(metric.Gauge, "stagecoach_events_aside", "Deliveries that were set aside; see stagecoach events.")
	oldest       = single(metric.Gauge, "stagecoach_events_oldest_seconds", "Age of the oldest delivery that is not done.")
	logBytes     = single(metric.Gauge, "stagecoach_event_log_bytes", "What deliveries, tries and timers take in the event log.")
	timers       = single(metric.Gauge, "stagecoach_timers", "Repositories that a timer will wake.")
	repositories = single(metric.Gauge, "stagecoach_repositories", "Repositories known to the app.")
	promotions   = perStage(metric.Gauge, "stagecoach_promotions", "Promotions that have not ended, by phase: queued is the depth of the stage's queue. Each replica shows all of them.", "phase")
	healthy      = perStage(metric.Gauge, "stagecoach_stage_healthy", "1 where what a stage holds is healthy, else 0. Each replica shows all stages.")
	since        = perStage(metric.Gauge, "stagecoach_stage_landed_timestamp_seconds", "When what a stage holds landed there.")
	cache        = single(metric.Gauge, "stagecoach_git_cache_bytes", "What the cached clones take on disk.")
	requests     = single(metric.Counter, "stagecoach_github_requests_total", "Requests that GitHub's API answered, by class of status.", "code")
	unchanged    = single(metric.Counter, "stagecoach_github_requests_unchanged_total", "Reads that GitHub answered with 304: they cost nothing of the rate limit.")
	rateLimit    = single(metric.Gauge, "stagecoach_github_rate_limit", "Requests an hour that an installation has, as GitHub last said. 0 is the App itself.", "installation")
	rateLeft     = single(metric.Gauge, "stagecoach_github_rate_limit_remaining", "Requests that an installation has left in this hour, as GitHub last said.", "installation")
)

// Metrics describes all metrics, in the order in which they are shown.
func Metrics() []metric.Desc {
	return []metric.Desc{
		build, webhooks, waiting, inFlight, retrying, aside, oldest, logBytes, timers, repositories,
		promotions, ended, duration, landings, leadTime, changeFailures, restoreTime, healthy, since,
		requests, unchanged, rateLimit, rateLeft, fetches, pushes, cache,
	}
}

// metrics answers /metrics.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	now, err := s.measureNow(r.Context())
	if err != nil {
		http.Error(w, "The event log or the store cannot be read: "+err.Error(), http.StatusServiceUnavailable)
		return
	}
	m := s.measures
	for _, f := range []*metric.Family{m.webhooks, m.fetches, m.pushes, m.ended, m.landings, m.changeFailures, m.duration, m.leadTime, m.restoreTime} {
		now[f.Name] = f
	}
	var all []*metric.Family
	for _, d := range Metrics() {
		all = append(all, now[d.Name])
	}
	w.Header().Set("Content-Type", metric.ContentType)
	_ = metric.Write(w, all...) // who went away is not our error
}

// snapshot are families by name.
type snapshot map[string]*metric.Family

func (n snapshot) of(d metric.Desc) *metric.Family {
	if n[d.Name] == nil {
		n[d.Name] = metric.New(d)
	}
	return n[d.Name]
}

// measureNow looks up what stands now.
func (s *Server) measureNow(ctx context.Context) (snapshot, error) {
	now := snapshot{}
	for _, d := range Metrics() {
		now.of(d)
	}
	now.of(build).Set(1, s.Version)
	now.of(repositories).Set(float64(len(s.store.Repos(ctx))))
	now.of(cache).Set(float64(s.git.DiskUsed()))
	s.measureGitHub(now)
	if err := s.measureLog(ctx, now); err != nil {
		return nil, err
	}
	return now, s.measureStages(ctx, now)
}

func (s *Server) measureLog(ctx context.Context, now snapshot) error {
	stats, err := s.log.Stats(ctx)
	if err != nil {
		return err
	}
	age := 0.0
	if !stats.Oldest.IsZero() {
		age = time.Since(stats.Oldest).Seconds()
	}
	now.of(waiting).Set(float64(stats.Waiting))
	now.of(inFlight).Set(float64(stats.InFlight))
	now.of(retrying).Set(float64(stats.Retrying))
	now.of(aside).Set(float64(stats.Aside))
	now.of(timers).Set(float64(stats.Timers))
	now.of(logBytes).Set(float64(stats.Bytes))
	now.of(oldest).Set(age)
	return nil
}

// measureStages adds up where stages are not told apart; of health and landing that makes no sense.
func (s *Server) measureStages(ctx context.Context, now snapshot) error {
	sums, err := s.measures.states.look(ctx, s.store)
	if err != nil {
		return err
	}
	for _, sum := range sums {
		for phase, n := range map[string]int{"queued": sum.queued, "running": sum.running, "waiting": sum.waiting} {
			now.of(promotions).Add(float64(n), s.measures.place(sum.repository, sum.pipeline, sum.stage, phase)...)
		}
		s.measures.begin(sum.repository, sum.pipeline, sum.stage)
		if !s.measures.stages {
			continue
		}
		at := s.measures.place(sum.repository, sum.pipeline, sum.stage)
		well := 0.0
		if sum.healthy {
			well = 1
		}
		now.of(healthy).Set(well, at...)
		if !sum.since.IsZero() {
			now.of(since).Set(float64(sum.since.Unix()), at...)
		}
	}
	return nil
}

// measureGitHub translates what go-githubapp's client counted.
func (s *Server) measureGitHub(now snapshot) {
	s.measures.github.Each(func(name string, value any) {
		switch v := value.(type) {
		case gometrics.Counter:
			if class, ok := strings.CutPrefix(name, githubapp.MetricsKeyRequests+"."); name == githubapp.MetricsKeyRequestsCached {
				now.of(unchanged).Set(float64(v.Count()))
			} else if ok {
				now.of(requests).Set(float64(v.Count()), class)
			}
		case gometrics.Gauge:
			for prefix, d := range map[string]metric.Desc{githubapp.MetricsKeyRateLimit: rateLimit, githubapp.MetricsKeyRateLimitRemaining: rateLeft} {
				var installation int64
				if _, err := fmt.Sscanf(name, prefix+"[installation:%d]", &installation); err == nil {
					now.of(d).Set(float64(v.Value()), strconv.FormatInt(installation, 10))
				}
			}
		}
	})
}

// equal compares secrets in a time that tells nothing of either.
func equal(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

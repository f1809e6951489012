package server

import (
	"context"
	"net/http"
	"strconv"
	"time"

	gometrics "github.com/rcrowley/go-metrics"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/metric"
)

// where are the labels that say which stage a number is about. They are left out where the operator wants it so.
var where = []string{"repository", "pipeline", "stage"}

// perStage describes a metric of which each stage has its own.
func perStage(kind, name, help string, more ...string) metric.Desc {
	return metric.Desc{Name: name, Kind: kind, Help: help, Labels: append(append([]string{}, where...), more...), Bounded: len(where)}
}

func timed(d metric.Desc) metric.Desc {
	const minute, hour, day = 60, 3600, 86400
	d.Buckets = []float64{10, minute, 5 * minute, 15 * minute, hour, 4 * hour, day, 3 * day, 7 * day}
	return d
}

func single(kind, name, help string, labels ...string) metric.Desc {
	return metric.Desc{Name: name, Kind: kind, Help: help, Labels: labels, Bounded: len(labels)}
}

// What this process counts from its start.
var (
	webhooks       = single(metric.Counter, "stagecoach_webhooks_total", "Webhooks answered, by HTTP status.", "code")
	fetches        = single(metric.Counter, "stagecoach_git_fetches_total", "Fetches sent to git.")
	pushes         = single(metric.Counter, "stagecoach_git_pushes_total", "Pushes sent to git.")
	ended          = perStage(metric.Counter, "stagecoach_promotions_ended_total", "Promotions that ended, by outcome: succeeded, failed, errored, aborted, superseded or rejected.", "outcome")
	landings       = perStage(metric.Counter, "stagecoach_landings_total", "Promotions that landed in a stage and changed something there, rollbacks apart: deployments, in DORA's words.")
	changeFailures = perStage(metric.Counter, "stagecoach_change_failures_total", "Landings whose verification said no, or that were rolled back. Over stagecoach_landings_total it is DORA's change failure rate.")
	duration       = timed(perStage(metric.Histogram, "stagecoach_promotion_duration_seconds", "Time from a promotion's creation to its landing, waiting included: the time in stage."))
	leadTime       = timed(perStage(metric.Histogram, "stagecoach_lead_time_seconds", "Time from when freight was first seen to its landing in a stage: DORA's lead time for changes."))
	restoreTime    = timed(perStage(metric.Histogram, "stagecoach_restore_time_seconds", "Time that a stage was unhealthy: DORA's time to restore."))
)

// measures are the counters of one server.
type measures struct {
	stages bool // label by stage
	now    func() time.Time

	webhooks, fetches, pushes       *metric.Family
	ended, landings, changeFailures *metric.Family
	duration, leadTime, restoreTime *metric.Family

	github gometrics.Registry // filled by go-githubapp's client
	states *overview
}

func newMeasures(stages bool) *measures {
	m := &measures{
		stages: stages, now: time.Now, github: gometrics.NewRegistry(), states: newOverview(),
		webhooks: metric.New(webhooks), fetches: metric.New(fetches), pushes: metric.New(pushes),
		ended: metric.New(ended), landings: metric.New(landings), changeFailures: metric.New(changeFailures),
		duration: metric.New(duration), leadTime: metric.New(leadTime), restoreTime: metric.New(restoreTime),
	}
	for _, code := range []int{http.StatusOK, http.StatusBadRequest, http.StatusInternalServerError, http.StatusServiceUnavailable} {
		m.webhooks.Add(0, strconv.Itoa(code))
	}
	return m
}

// begin shows the counters of a stage that alerts and failure rates are made of with 0 before anything is counted:
// Prometheus' increase() does not see the first count of a series that begins with it.
// https://prometheus.io/docs/practices/instrumentation/#avoid-missing-metrics
func (m *measures) begin(repository, pipeline, stage string) {
	at := m.place(repository, pipeline, stage)
	m.landings.Add(0, at...)
	m.changeFailures.Add(0, at...)
	for _, phase := range []promotion.Phase{promotion.PhaseErrored, promotion.PhaseFailed} {
		m.ended.Add(0, m.place(repository, pipeline, stage, string(phase))...)
	}
}

// place are the values of the labels where, and those of more labels.
func (m *measures) place(repository, pipeline, stage string, more ...string) []string {
	if !m.stages {
		repository, pipeline, stage = "", "", ""
	}
	return append([]string{repository, pipeline, stage}, more...)
}

func (m *measures) fetched(context.Context, int64) { m.fetches.Add(1) }

func (m *measures) pushed(context.Context, int64) { m.pushes.Add(1) }

// counted counts the answers of a handler.
func (m *measures) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &answer{ResponseWriter: w, code: http.StatusOK}
		next.ServeHTTP(answer, r)
		m.webhooks.Add(1, strconv.Itoa(answer.code))
	})
}

// answer remembers the status.
type answer struct {
	http.ResponseWriter
	code int
}

func (a *answer) WriteHeader(code int) {
	a.code = code
	a.ResponseWriter.WriteHeader(code)
}

// Unwrap lets http.ResponseController through.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

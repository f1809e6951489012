package server_test

import (
	"bufio"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server"
	"github.com/stagecoach-app/stagecoach/server/metric"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// samples are the values of /metrics by name and labels.
type samples map[string]float64

var sampleLine = regexp.MustCompile(`^([a-z_]+)(\{(?:[a-z_]+="(?:[^"\\]|\\.)*",?)+\})? (\S+)$`)

// scrape reads /metrics as Prometheus does, and holds it to the form and to its description.
func scrape(t *testing.T, w *servertest.World) samples {
	t.Helper()
	resp, err := http.Get("http://" + w.Addr + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Fatalf("%s, %s", resp.Status, resp.Header.Get("Content-Type"))
	}
	out, typed := samples{}, map[string]string{}
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		line := lines.Text()
		if words := strings.SplitN(line, " ", 4); words[0] == "#" {
			if words[1] == "TYPE" {
				typed[words[2]] = words[3]
			}
			continue
		}
		m := sampleLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("no sample: %s", line)
		}
		family := m[1]
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			if base := strings.TrimSuffix(m[1], suffix); typed[base] == metric.Histogram {
				family = base
			}
		}
		value, err := strconv.ParseFloat(m[3], 64)
		if _, twice := out[m[1]+m[2]]; err != nil || twice || typed[family] == "" {
			t.Fatalf("twice, of no type, or no number: %s", line)
		}
		out[m[1]+m[2]] = value
	}
	for _, d := range server.Metrics() {
		if typed[d.Name] != "" && typed[d.Name] != d.Kind {
			t.Errorf("%s is a %s", d.Name, typed[d.Name])
		}
	}
	return out
}

// names follow Prometheus' rules: https://prometheus.io/docs/practices/naming/
func TestMetricNames(t *testing.T) {
	for _, d := range server.Metrics() {
		switch {
		case !strings.HasPrefix(d.Name, "stagecoach_"), d.Help == "" || !strings.HasSuffix(d.Help, "."):
			t.Errorf("%s: %q", d.Name, d.Help)
		case strings.HasSuffix(d.Name, "_total") != (d.Kind == metric.Counter):
			t.Errorf("%s is a %s", d.Name, d.Kind)
		case d.Kind == metric.Histogram && (!strings.HasSuffix(d.Name, "_seconds") || !slices.IsSorted(d.Buckets)):
			t.Errorf("%s has the buckets %v", d.Name, d.Buckets)
		}
	}
}

// TestMetricsOfAStory scrapes after a change went to staging: what is counted is what happened on GitHub, and what
// stands is there after a restart too.
func TestMetricsOfAStory(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, servertest.Files())
	w.StartServer()
	w.InstallApp()
	w.StoryToStaging()
	if code, _ := w.Post("another secret", "push", []byte("{}")); code != http.StatusBadRequest {
		t.Errorf("a forged delivery was answered with %d", code)
	}
	got := scrape(t, w)
	stage := func(name, stage, more string) string {
		return fmt.Sprintf(`stagecoach_%s{repository="acme/gitops",pipeline="default",stage="%s"%s}`, name, stage, more)
	}
	for name, want := range map[string]float64{
		stage("landings_total", "dev", ""): 1, stage("landings_total", "staging", ""): 1,
		stage("promotions_ended_total", "dev", `,outcome="succeeded"`): 1, stage("lead_time_seconds_count", "staging", ""): 1,
		stage("promotions", "staging", `,phase="queued"`): 0, stage("promotions_ended_total", "staging", `,outcome="errored"`): 0, stage("change_failures_total", "dev", ""): 0,
		`stagecoach_webhooks_total{code="503"}`: 0, stage("stage_healthy", "dev", ""): 1,
		`stagecoach_webhooks_total{code="400"}`: 1, "stagecoach_repositories": 1, "stagecoach_events_aside": 0, `stagecoach_build_info{version="dev"}`: 1,
		"stagecoach_git_pushes_total": float64(w.Sim.Counts(0).Pushes),
	} {
		if has, ok := got[name]; !ok || has != want {
			t.Errorf("%s is %v (there: %v), want %v", name, has, ok, want)
		}
	}
	for _, name := range []string{
		"stagecoach_git_fetches_total", "stagecoach_git_cache_bytes", `stagecoach_github_requests_total{code="2xx"}`, `stagecoach_webhooks_total{code="200"}`,
		fmt.Sprintf(`stagecoach_github_rate_limit_remaining{installation="%d"}`, w.Install), stage("stage_landed_timestamp_seconds", "staging", ""),
	} {
		if got[name] <= 0 {
			t.Errorf("%s is %v", name, got[name])
		}
	}
	w.StopServer()
	w.Vars = map[string]string{"STAGECOACH_METRICS_STAGES": "off"}
	w.StartServer()
	again := scrape(t, w)
	if again[`stagecoach_promotions{phase="waiting"}`] != 0 || again[stage("stage_healthy", "dev", "")] != 0 {
		t.Errorf("stages are told apart: %v", again)
	}
	if _, there := again[`stagecoach_promotions{phase="queued"}`]; !there {
		t.Error("after a restart the queues are not shown")
	}
}

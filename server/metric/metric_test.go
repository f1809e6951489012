package metric_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/server/metric"
)

func text(t *testing.T, families ...*metric.Family) string {
	t.Helper()
	var b strings.Builder
	if err := metric.Write(&b, families...); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestText(t *testing.T) {
	plain := metric.New(metric.Desc{Name: "up", Kind: metric.Gauge, Help: "Whether\nit is \\up."})
	counter := metric.New(metric.Desc{Name: "seen_total", Kind: metric.Counter, Help: "Seen.", Labels: []string{"who", "how"}})
	counter.Add(2, "b", `say "x\y"`+"\n")
	counter.Add(1, "a", "")
	counter.Add(0.5, "a", "")
	none := metric.New(metric.Desc{Name: "none_total", Kind: metric.Counter, Help: "Nothing.", Labels: []string{"who"}})
	took := metric.New(metric.Desc{Name: "took_seconds", Kind: metric.Histogram, Help: "Took.", Labels: []string{"who"}, Buckets: []float64{1, 10}})
	for _, v := range []float64{0.5, 1, 1.5, 11} {
		took.Observe(v, "a")
	}
	want := `# HELP up Whether\nit is \\up.
# TYPE up gauge
up 0
# HELP seen_total Seen.
# TYPE seen_total counter
seen_total{who="a"} 1.5
seen_total{who="b",how="say \"x\\y\"\n"} 2
# HELP took_seconds Took.
# TYPE took_seconds histogram
took_seconds_bucket{who="a",le="1"} 2
took_seconds_bucket{who="a",le="10"} 3
took_seconds_bucket{who="a",le="+Inf"} 4
took_seconds_sum{who="a"} 14
took_seconds_count{who="a"} 4
`
	if diff := cmp.Diff(want, text(t, plain, counter, none, took)); diff != "" {
		t.Error(diff)
	}
}

// Beyond the bound what is new is counted, but not by name; what is not bounded stays.
func TestBound(t *testing.T) {
	f := metric.New(metric.Desc{Name: "n_total", Kind: metric.Counter, Help: "N.", Labels: []string{"repository", "outcome"}, Bounded: 1})
	for i := range metric.MostSeries + 100 {
		f.Add(1, fmt.Sprint("r", i), "ok")
	}
	f.Add(1, "late", "bad")
	f.Add(1, "r0", "ok")
	got := text(t, f)
	if n := strings.Count(got, "\n"); n != metric.MostSeries+4 {
		t.Errorf("%d lines", n)
	}
	for _, want := range []string{`n_total{repository="(others)",outcome="ok"} 100`, `n_total{repository="(others)",outcome="bad"} 1`, `n_total{repository="r0",outcome="ok"} 2`} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("%s is missing", want)
		}
	}
}

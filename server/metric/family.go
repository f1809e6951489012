package metric

import (
	"slices"
	"strings"
	"sync"
)

// MostSeries is how many series a family has at most, those of "(others)" apart.
const MostSeries = 5000

// Others stands for the values of labels beyond the bound.
const Others = "(others)"

// The kinds of metrics.
const (
	Counter   = "counter"
	Gauge     = "gauge"
	Histogram = "histogram"
)

// Desc says what a metric is.
type Desc struct {
	Name    string
	Kind    string
	Help    string // one sentence
	Labels  []string
	Bounded int       // how many labels, from the first, lose their values beyond MostSeries
	Buckets []float64 // of a histogram: upper bounds, rising
}

// Family is one metric.
type Family struct {
	Desc

	mu     sync.Mutex
	series map[string]*series
}

type series struct {
	labels []string
	value  float64  // of a histogram: the sum
	counts []uint64 // of a histogram: by bucket, the last one for what is above all
}

// New makes a family without series. A counter or gauge without labels begins with 0.
func New(d Desc) *Family {
	f := &Family{Desc: d, series: map[string]*series{}}
	if len(d.Labels) == 0 {
		f.at(nil)
	}
	return f
}

// Add counts; it is for counters, and n is not negative.
func (f *Family) Add(n float64, labels ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at(labels).value += n
}

// Set is for gauges.
func (f *Family) Set(value float64, labels ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at(labels).value = value
}

// Observe puts a value into its bucket of a histogram.
func (f *Family) Observe(value float64, labels ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.at(labels)
	s.value += value
	bucket, _ := slices.BinarySearch(f.Buckets, value)
	s.counts[bucket]++
}

// at finds or makes the series; the caller holds the lock.
func (f *Family) at(labels []string) *series {
	if s := f.series[key(labels)]; s != nil {
		return s
	}
	labels = slices.Clone(labels)
	if len(f.series) >= MostSeries {
		for i := range min(f.Bounded, len(labels)) {
			labels[i] = Others
		}
		if s := f.series[key(labels)]; s != nil {
			return s
		}
	}
	s := &series{labels: labels}
	if f.Kind == Histogram {
		s.counts = make([]uint64, len(f.Buckets)+1)
	}
	f.series[key(labels)] = s
	return s
}

// key joins values by a byte that is in no UTF-8 text.
func key(labels []string) string { return strings.Join(labels, "\xff") }

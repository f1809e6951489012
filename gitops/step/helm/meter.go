package helm

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime/metrics"
	"time"

	"helm.sh/helm/v4/pkg/chart/common"
)

// The bounds of a rendering.
const (
	maxValue  = 32 << 20              // units of one value, see size: about a byte each
	maxDepth  = 200                   // of values inside values
	maxGrowth = 768 << 20             // bytes that the process may grow by while a chart is rendered
	nodeUnits = 16                    // of a value besides its text
	glance    = 10 * time.Millisecond // between two looks at the heap
)

var (
	errTooLarge = errors.New("the chart makes a value that is too large")
	errTooDeep  = fmt.Errorf("the chart makes a value that is nested more than %d deep, or that holds itself", maxDepth)
	errMemory   = errors.New("the chart takes too much memory")
)

// meter bounds one rendering at a time. Its functions are made once.
type meter struct {
	functions map[string]any
	ctx       context.Context
	failed    error              // the first bound that was met
	sizes     map[uintptr]extent // of maps, until one is changed
	before    uint64             // bytes of the heap when it began
	looked    time.Time          // when the heap was looked at
}

// freeMeters are those that nobody uses. As many charts render at once.
var freeMeters = newMeters()

func newMeters() chan *meter {
	free := make(chan *meter, 2)
	for range cap(free) {
		m := &meter{}
		m.functions = m.wrapAll()
		free <- m
	}
	return free
}

// takeMeter waits for a meter, which is given back by the function.
func takeMeter(ctx context.Context) (*meter, func(), error) {
	select {
	case m := <-freeMeters:
		m.ctx, m.failed, m.sizes = ctx, nil, map[uintptr]extent{}
		m.before, m.looked = heap(), time.Now()
		return m, func() { freeMeters <- m }, nil
	case <-ctx.Done():
		return nil, nil, fmt.Errorf("wait for another chart to be rendered: %w", ctx.Err())
	}
}

// heap is how many bytes live and dead objects take.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// check is called again and again by what renders; its error ends the rendering.
func (m *meter) check() error {
	if m.failed != nil {
		return m.failed
	}
	if err := m.ctx.Err(); err != nil {
		return m.fail(fmt.Errorf("it took too long: %w", err))
	}
	if time.Since(m.looked) < glance {
		return nil
	}
	m.looked = time.Now()
	if heap() > m.before+maxGrowth {
		return m.fail(errMemory)
	}
	return nil
}

func (m *meter) fail(err error) error {
	if m.failed == nil {
		m.failed = err
	}
	return err
}

// stopped is the bound that ended the rendering; nil: none did.
func (m *meter) stopped() error { return m.failed }

// extent is how much a value holds.
type extent struct{ units, height int }

// size counts a value's units, all below it included, as often as it stands there.
func (m *meter) size(v any) (int, error) {
	e, err := m.measure(v, 0)
	if err == nil && e.units > maxValue {
		err = errTooLarge
	}
	if err != nil {
		return 0, m.fail(err)
	}
	return e.units, nil
}

func (m *meter) measure(v any, depth int) (extent, error) {
	switch v := v.(type) {
	case string:
		return extent{units: nodeUnits + len(v)}, nil
	case nil, bool, int, int64, float64:
		return extent{units: nodeUnits}, nil
	case map[string]any:
		return m.mapping(v, depth)
	case common.Values:
		return m.mapping(v, depth)
	}
	return m.measureKind(reflect.ValueOf(v), depth)
}

// mapping remembers what it found, as charts pass their whole context about.
func (m *meter) mapping(v map[string]any, depth int) (extent, error) {
	at := reflect.ValueOf(v).Pointer()
	if e, known := m.sizes[at]; known {
		return e, tooDeep(depth + e.height)
	}
	all := extent{units: nodeUnits}
	for key, item := range v {
		all.units += len(key)
		if err := m.add(&all, item, depth); err != nil || all.units > maxValue {
			return all, err
		}
	}
	m.sizes[at] = all
	return all, nil
}

// add puts what stands inside a value at that depth to it.
func (m *meter) add(all *extent, item any, depth int) error {
	if err := tooDeep(depth + 1); err != nil {
		return err
	}
	e, err := m.measure(item, depth+1)
	all.units += e.units
	all.height = max(all.height, e.height+1)
	return err
}

func tooDeep(depth int) error {
	if depth > maxDepth {
		return errTooDeep
	}
	return nil
}

// measureKind is for lists, and values of other types: files, lists of texts.
func (m *meter) measureKind(v reflect.Value, depth int) (extent, error) {
	all := extent{units: nodeUnits}
	switch v.Kind() {
	case reflect.String:
		all.units += v.Len()
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			all.units += v.Len()
			break
		}
		for i := 0; i < v.Len() && all.units <= maxValue; i++ {
			if err := m.add(&all, v.Index(i).Interface(), depth); err != nil {
				return all, err
			}
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next() && all.units <= maxValue; {
			if err := errors.Join(m.add(&all, it.Key().Interface(), depth), m.add(&all, it.Value().Interface(), depth)); err != nil {
				return all, err
			}
		}
	}
	return all, nil
}

// changed forgets sizes when a map may have been changed in place.
func (m *meter) changed() { clear(m.sizes) }

package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

const (
	dev  = "dev.01jq0000000000000000000000.abcdef0"
	prod = "prod.01jq0000000000000000000000.abcdef0"
)

func record(name string, attempt, step int, content []byte) promotion.StepRecord {
	return promotion.StepRecord{Promotion: name, Attempt: attempt, Step: step, Result: promotion.Result{
		Effect: "e", Phase: promotion.StepSucceeded, Output: map[string]json.RawMessage{"n": json.RawMessage("1")},
		Files: []promotion.File{{Path: "envs/dev/a.yaml", Mode: 0o100644, Content: content}},
	}}
}

func TestFirstRecordStays(t *testing.T) {
	s := newStore(t)
	want := record(dev, 0, 0, []byte("first"))
	ok(t, s.Record(t.Context(), 1, want))
	wants(t, s.Record(t.Context(), 1, record(dev, 0, 0, []byte("second"))), ErrRecorded)
	got, err := s.Records(t.Context(), 1, dev, 0)
	ok(t, err)
	same(t, got, []promotion.StepRecord{want})
}

func TestRecordRace(t *testing.T) {
	s := newStore(t)
	var firsts atomic.Int32
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			switch err := s.Record(t.Context(), 1, record(dev, 0, 3, []byte{byte(i)})); {
			case err == nil:
				firsts.Add(1)
			case !errors.Is(err, ErrRecorded):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if firsts.Load() != 1 {
		t.Errorf("%d were first", firsts.Load())
	}
}

func TestRecordsInStepOrder(t *testing.T) {
	s := newStore(t)
	big := bytes.Repeat([]byte("0123456789abcdef"), 1<<15) // 512 KB, compresses
	for _, step := range []int{11, 2, 0} {
		ok(t, s.Record(t.Context(), 1, record(dev, 1, step, big)))
	}
	for _, other := range []promotion.StepRecord{record(dev, 0, 0, nil), record(dev, 11, 0, nil), record(prod, 1, 0, nil)} {
		ok(t, s.Record(t.Context(), 1, other))
	}
	ok(t, s.Record(t.Context(), 2, record(dev, 1, 5, nil)))
	got, err := s.Records(t.Context(), 1, dev, 1)
	ok(t, err)
	same(t, got, []promotion.StepRecord{record(dev, 1, 0, big), record(dev, 1, 2, big), record(dev, 1, 11, big)})
}

func TestRecordInPieces(t *testing.T) {
	s := newStore(t)
	noise := []byte(state(1, 1, 6<<16).Problems[0].Text)
	want := record(dev, 0, 0, noise)
	ok(t, s.Record(t.Context(), 1, want))
	wants(t, s.Record(t.Context(), 1, want), ErrRecorded)
	got, err := s.Records(t.Context(), 1, dev, 0)
	ok(t, err)
	same(t, got, []promotion.StepRecord{want})
	ok(t, s.Forget(t.Context(), 1, dev))
	info, err := s.stream.Info(t.Context())
	ok(t, err)
	if info.State.Msgs != 0 {
		t.Errorf("%d messages are left after Forget", info.State.Msgs)
	}
}

func TestForgetOnlyThat(t *testing.T) {
	s := newStore(t)
	for _, rec := range []promotion.StepRecord{record(dev, 0, 0, nil), record(dev, 1, 0, nil), record(prod, 0, 0, nil)} {
		ok(t, s.Record(t.Context(), 1, rec))
	}
	ok(t, s.Forget(t.Context(), 1, dev))
	ok(t, s.Forget(t.Context(), 1, dev))
	for name, want := range map[string]int{dev: 0, prod: 1} {
		got, err := s.Records(t.Context(), 1, name, 0)
		ok(t, err)
		if len(got) != want {
			t.Errorf("%d records of %s", len(got), name)
		}
	}
	ok(t, s.Record(t.Context(), 1, record(dev, 0, 0, nil))) // as if it were new
}

func TestRecordNames(t *testing.T) {
	s := newStore(t)
	for _, name := range []string{"", ".", "a..b", "a.*", "a.>", "a=b", "a b"} {
		if err := s.Record(t.Context(), 1, record(name, 0, 0, nil)); err == nil {
			t.Errorf("%q was taken for a promotion's name", name)
		}
		if err := s.Forget(t.Context(), 1, name); err == nil {
			t.Errorf("%q was forgotten", name)
		}
	}
}

package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/stagecoach-app/stagecoach/server/store"
)

// memo is the name under which the duty is kept.
const memo = "sweep"

// duty says who sweeps, and how far that got.
type duty struct {
	Holder string    `json:"holder"`
	Until  time.Time `json:"until"` // the holder has it until then, unless it is renewed
	// Seen: each delivery that failed before is dealt with. Zero: nobody ever looked.
	Seen time.Time `json:"seen,omitzero"`
	// Daily: each daily look that was due before has been taken.
	Daily time.Time `json:"daily,omitzero"`
	// All is when the look at every repository that is under way began; zero: none is.
	All time.Time `json:"all,omitzero"`
}

// Lease is how long the duty stays with a process that gives no sign of life.
func (s *Sweep) Lease() time.Duration { return 5 * s.Every / 2 }

// claim takes the duty, or renews it, unless another process has it.
func (s *Sweep) claim(ctx context.Context) (bool, error) {
	raw, revision, err := s.Store.Memo(ctx, memo)
	if err != nil {
		return false, err
	}
	var d duty
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &d); err != nil {
			return false, fmt.Errorf("read the duty of the sweep: %w", err)
		}
	}
	left := d.Until.Sub(s.Now())
	if d.Holder != s.Holder && left > 0 && left <= s.Lease() { // more than that is a clock that was wrong
		return false, nil
	}
	if d.Holder != s.Holder || revision != s.revision {
		s.forgetProgress()
		s.duty = d
	}
	s.revision = revision
	return s.hold(ctx, s.Now().Add(s.Lease()))
}

// hold writes the duty down as ours until a time.
func (s *Sweep) hold(ctx context.Context, until time.Time) (bool, error) {
	s.duty.Holder, s.duty.Until = s.Holder, until.UTC()
	raw, err := json.Marshal(s.duty)
	if err != nil {
		return false, err
	}
	revision, err := s.Store.SetMemo(ctx, memo, raw, s.revision)
	if errors.Is(err, store.ErrLost) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	s.revision = revision
	return true, nil
}

// save writes down how far this turn got.
func (s *Sweep) save(ctx context.Context) error {
	_, err := s.hold(ctx, s.duty.Until)
	return err
}

// release lets another process have the duty at once.
func (s *Sweep) release(ctx context.Context) {
	if s.duty.Holder != s.Holder {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_, _ = s.hold(ctx, s.Now()) // it ends by itself anyway
}

// forgetProgress drops what is known besides the memo.
func (s *Sweep) forgetProgress() {
	s.failed = failures{handled: map[int64]time.Time{}, open: map[string]*failing{}}
	s.all = everything{}
}

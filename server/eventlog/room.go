package eventlog

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/palantir/go-githubapp/githubapp"
)

// room says whether deliveries may still be taken. It is asked of deliveries from
// outside alone: what we append ourselves empties the log, and is never refused.
type room struct {
	mu    sync.Mutex
	asked time.Time
	bytes uint64
}

// askEvery is how old the known size of the log may be.
const askEvery = time.Second

// checkRoom refuses what comes when the log holds MaxBytes. The answer is 503, and
// the sweep has it sent again when there is room.
func (l *Log) checkRoom(ctx context.Context) error {
	l.room.mu.Lock()
	defer l.room.mu.Unlock()
	if now := time.Now(); now.Sub(l.room.asked) > askEvery {
		info, err := l.events.Info(ctx)
		if err != nil {
			return fmt.Errorf("ask for the size of the event log: %w", err)
		}
		l.room.asked, l.room.bytes = now, info.State.Bytes
	}
	if q := l.crowd.queue; q != nil && q.Bytes() > l.crowd.most {
		return fmt.Errorf("%w: %d MiB of deliveries wait to come into the log", githubapp.ErrCapacityExceeded, q.Bytes()>>20)
	}
	if most := uint64(l.opts.MaxBytes); l.room.bytes > most {
		return fmt.Errorf("%w: deliveries take %d MiB of at most %d", githubapp.ErrCapacityExceeded, l.room.bytes>>20, most>>20)
	}
	return nil
}

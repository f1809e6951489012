package runner

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// GitHub recommends at most 6 pushes a minute to a repository; a burst is
// fine (DESIGN, promise 13).
const (
	pushBurst = 30
	pushEvery = 10 * time.Second
)

// PushPace spaces the pushes to each repository, for gitops.Options.MayPush: it
// lets one go, or says how long it has to wait. It never sleeps, so nothing is
// held up by a push that waits; what waits travels together afterwards.
func PushPace() func(ctx context.Context, repo int64) error {
	var mu sync.Mutex
	paces := map[int64]*rate.Limiter{}
	return func(_ context.Context, repo int64) error {
		mu.Lock()
		defer mu.Unlock()
		limiter := paces[repo]
		if limiter == nil {
			limiter = rate.NewLimiter(rate.Every(pushEvery), pushBurst)
			paces[repo] = limiter
		}
		reservation := limiter.Reserve()
		if wait := reservation.Delay(); wait > 0 {
			reservation.Cancel()
			return promotion.RetryAfter(wait, errors.New("pushes to a repository are spaced"))
		}
		return nil
	}
}

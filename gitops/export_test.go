package gitops

import "runtime"

// WaitQueued waits until n updates are queued behind the push under way.
func WaitQueued(r *Repository, n int) {
	for {
		r.clone.pusher.mu.Lock()
		queued := len(r.clone.pusher.queue)
		r.clone.pusher.mu.Unlock()
		if queued == n {
			return
		}
		runtime.Gosched()
	}
}

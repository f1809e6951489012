package server

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/stagecoach-app/stagecoach/server/worker"
)

// Stop ends the server: no new deliveries, effects under way are given the time
// that ctx leaves, and the rest is taken up by the next process. The last part of that
// time is for what must be cut off, and for closing. An error says that something did not
// end even so; then it may still be running, and the process should not live on.
func (s *Server) Stop(ctx context.Context) error {
	s.mu.Lock()
	stop, w, stopped := s.stop, s.worker, s.stopped
	s.worker, s.stopped = nil, true
	s.mu.Unlock()
	if stopped {
		return nil
	}
	ended := make(chan struct{})
	go func() { s.end(ctx, stop, w); close(ended) }()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("something under way did not let itself be cut off: %w", ctx.Err())
	}
}

// end is Stop without its last resort.
func (s *Server) end(ctx context.Context, stop context.CancelFunc, w *worker.Worker) {
	patience, cancel := s.patience(ctx)
	defer cancel()
	var both sync.WaitGroup
	both.Go(func() {
		if err := s.http.Shutdown(patience); err != nil {
			s.Log.Warn().Err(err).Msg("connections that did not end were cut")
			_ = s.http.Close()
		}
	})
	if stop == nil { // it was never started, and nobody but us holds the listener
		_ = s.listener.Close()
	} else {
		stop()
	}
	if w != nil {
		if err := w.Stop(patience); err != nil {
			s.Log.Warn().Err(err).Msg("what was under way was cut off; the next start looks what came of it")
		}
	}
	both.Wait()
	s.running.Wait()
	s.close(context.WithoutCancel(ctx))
}

// cutFor is how much of Stop's time is left for cutting off and closing, at most.
const cutFor = 5 * time.Second

// patience ends when what is under way is to be cut off: after LetEnd, or so long before
// ctx does that the rest comes to an end in time.
func (s *Server) patience(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.LetEnd > 0 {
		return context.WithTimeout(ctx, s.LetEnd)
	}
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, end.Add(-min(cutFor, time.Until(end)/2)))
}

// close lets go of what New opened, in the opposite order.
func (s *Server) close(ctx context.Context) {
	if s.log != nil {
		s.log.Close(ctx)
	}
	s.measures.states.close()
	if s.store != nil {
		s.store.Close()
	}
	if s.git != nil {
		_ = s.git.Close()
	}
	if s.bases != nil {
		_ = s.bases.Close()
	}
	if s.outside != nil {
		s.outside.CloseIdleConnections()
	}
	if s.engine != nil {
		if err := s.engine.Close(); err != nil {
			s.Log.Error().Err(err).Msg("the event log did not close well; what it holds is safe")
		}
	}
}

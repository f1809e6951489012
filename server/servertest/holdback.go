package servertest

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// HoldBackGit lets every request for git's objects and refs of the world's repository
// wait for an answer, until its client is gone. held is closed when the first of them
// waits; after release later ones are answered again.
func (w *World) HoldBackGit() (held <-chan struct{}, release func()) {
	first := make(chan struct{})
	waits := sync.OnceFunc(func() { close(first) })
	release = w.Sim.Fault(ghsim.Fault{Slow: time.Hour, Times: -1, Match: func(r *http.Request) bool {
		if !strings.Contains(r.URL.Path, w.Repo.FullName()+".git/") {
			return false
		}
		waits()
		return true
	}})
	return first, release
}

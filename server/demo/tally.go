package demo

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// tally counts the installation's requests by promotion: each counts for the
// promotion that it names, by its name, its branch, its pull request, its check
// run or its commit. One that names none (a fetch, the tracking issue, the
// answer to a command) counts for the one that was named last or, when none was
// since a person did something, for the one that is named next.
type tally struct {
	sim  *ghsim.Sim
	repo ghsim.Repo

	mu      sync.Mutex
	by      map[string][]ghsim.Request
	current string          // the promotion that was named last
	named   bool            // one was since a person did something
	pending []ghsim.Request // those that wait for the next name
}

func newTally(sim *ghsim.Sim, repo ghsim.Repo) *tally {
	t := &tally{sim: sim, repo: repo, by: map[string][]ghsim.Request{}}
	sim.OnRequest(func(r ghsim.Request) {
		if r.Installation == 0 && r.Login != "" && r.Method != http.MethodGet {
			t.act()
		}
	})
	return t
}

// act notes that a person did something.
func (t *tally) act() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flush()
	t.named = false
}

// flush gives what waits for a name to the promotion that was under way last.
func (t *tally) flush() {
	if t.current != "" {
		t.by[t.current] = append(t.by[t.current], t.pending...)
		t.pending = nil
	}
}

// maxLooked bounds how much of a body is looked at, in bytes: names stand early.
const maxLooked = 1 << 20

// around is the simulator behind the tally.
func (t *tally) around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head, err := io.ReadAll(io.LimitReader(r.Body, maxLooked))
		if err != nil {
			http.Error(w, "the request body could not be read: "+err.Error(), http.StatusBadRequest)
			return
		}
		rest := r.Body
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(head), rest), rest}
		next.ServeHTTP(w, ghsim.Watched(r, func(done ghsim.Request) { t.count(done, head) }))
	})
}

func (t *tally) count(r ghsim.Request, body []byte) {
	if r.Installation == 0 || r.Repository != t.repo.ID && r.Repository != 0 {
		return
	}
	name := t.nameIn(r, body)
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case name != "":
		t.current, t.named = name, true
		t.by[name] = append(append(t.by[name], t.pending...), r)
		t.pending = nil
	case t.named:
		t.by[t.current] = append(t.by[t.current], r)
	default:
		t.pending = append(t.pending, r)
	}
}

// counts sums up; call it when nothing is under way any more.
func (t *tally) counts() map[string]ghsim.Counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flush()
	out := map[string]ghsim.Counts{}
	for name, requests := range t.by {
		out[name] = ghsim.CountRequests(requests)
	}
	return out
}

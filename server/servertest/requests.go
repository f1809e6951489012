package servertest

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

type request = http.Request

// changes reports whether a request changes something on GitHub.
func changes(r *request) bool { return isWrite(r.Method, r.URL.Path) }

// IsWrite reports whether a request changes something on GitHub. One for a token
// or for objects does not.
func IsWrite(r ghsim.Request) bool { return isWrite(r.Method, r.Path) }

func isWrite(method, path string) bool {
	switch {
	case method == http.MethodGet || method == http.MethodHead:
		return false
	case strings.HasSuffix(path, "/git-upload-pack"), strings.HasSuffix(path, "/access_tokens"):
		return false
	}
	return true
}

// Since lists what the app requested since a mark, without tokens.
func (w *World) Since(mark ghsim.Mark) []ghsim.Request {
	var out []ghsim.Request
	for _, r := range w.Sim.Requests()[mark:] {
		if r.Installation != 0 {
			out = append(out, r)
		}
	}
	return out
}

// List shows requests, for failed tests.
func List(requests []ghsim.Request) string {
	var b strings.Builder
	for _, r := range requests {
		note := ""
		if r.Counted {
			note = " counted"
		}
		if r.Cut {
			note += " cut"
		}
		fmt.Fprintf(&b, "  %s %s → %d%s\n", r.Method, r.Path, r.Status, note)
	}
	return b.String()
}

package ghsim

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
)

// finish tells the watchers and writes the answer, unless a fault takes it away.
func (s *Sim) finish(w http.ResponseWriter, r *http.Request, answer reply, entry Request, fault *Fault) {
	if fault.strikes(Before) || fault.strikes(After) {
		entry.Cut = fault.Cut
		if fault.Cut && fault.When == Before {
			entry.Status, entry.Counted = 0, false
		}
		if fault.When == After && !fault.Cut {
			answer = fault.reply()
			entry.Status = answer.status
		}
	}
	s.requests.add(entry)
	tellWatcher(r, entry)
	if fault != nil && fault.When == After {
		s.hold(r, fault)
	}
	s.log.Debug().Str("route", entry.Route).Str("path", entry.Path).Int("status", entry.Status).Msg("github simulator answered")
	if fault != nil && fault.Cut && fault.Slow == 0 {
		cut(w)
		return
	}
	s.write(w, answer, r.Method != http.MethodHead)
}

func (s *Sim) write(w http.ResponseWriter, answer reply, withBody bool) {
	raw := answer.encoded()
	h := w.Header()
	for k, v := range answer.header {
		h[k] = v
	}
	h.Set("X-GitHub-Request-Id", requestID())
	h.Set("X-GitHub-Media-Type", "github.v3; format=json")
	h.Set("Server", "github.com")
	if raw != nil && h.Get("Content-Type") == "" {
		h.Set("Content-Type", "application/json; charset=utf-8")
	}
	if answer.status != http.StatusNoContent && answer.status != http.StatusNotModified {
		h.Set("Content-Length", strconv.Itoa(len(raw)))
	}
	w.WriteHeader(answer.status)
	if withBody {
		_, _ = w.Write(raw) // a client that went away is not our error
	}
}

// encoded is the body as bytes; a body that is bytes already stays as it is.
func (r reply) encoded() []byte {
	switch body := r.body.(type) {
	case nil:
		return nil
	case []byte:
		return body
	default:
		var buf bytes.Buffer
		enc := json.NewEncoder(&buf)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(body); err != nil {
			panic("ghsim: an answer that is no JSON: " + err.Error())
		}
		return bytes.TrimRight(buf.Bytes(), "\n")
	}
}

package servertest

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"

	"github.com/stagecoach-app/stagecoach/server/eventlog"
)

// Post sends a delivery to the server as GitHub does, signed with the secret
// ("": not signed), and returns the status and text of the answer.
func (w *World) Post(secret, event string, payload []byte) (status int, answer string) {
	w.TB.Helper()
	return w.Deliver(rand.Text(), secret, event, payload)
}

// Deliver is Post under a GUID that the caller chose.
func (w *World) Deliver(guid, secret, event string, payload []byte) (status int, answer string) {
	w.TB.Helper()
	req, err := http.NewRequest(http.MethodPost, "http://"+w.Addr+"/api/github/hook", bytes.NewReader(payload))
	w.must(err)
	req.Close = true
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-GitHub-Event", event)
	req.Header.Set("X-GitHub-Delivery", guid)
	if secret != "" {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(payload)
		req.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	}
	res, err := w.client.RoundTrip(req)
	w.must(err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	w.must(err)
	return res.StatusCode, string(text)
}

// EventsShown is what the server says at /events.
type EventsShown struct {
	Stats eventlog.Stats
	Aside []eventlog.AsideEvent
}

// Events asks the server which deliveries wait or were set aside.
func (w *World) Events() EventsShown {
	w.TB.Helper()
	shown, err := w.events()
	w.must(err)
	return shown
}

func (w *World) events() (shown EventsShown, err error) {
	text, err := w.get("/events")
	if err != nil {
		return shown, err
	}
	return shown, json.Unmarshal([]byte(text), &shown)
}

// Replay asks the server to take a delivery up again that was set aside, and gives the
// status of its answer.
func (w *World) Replay(guid string) int {
	w.TB.Helper()
	req, err := http.NewRequest(http.MethodPost, "http://"+w.Addr+"/events/"+guid+"/replay", nil)
	w.must(err)
	req.Close = true
	res, err := w.client.RoundTrip(req)
	w.must(err)
	_ = res.Body.Close()
	return res.StatusCode
}

// Get is what the server answers at a path.
func (w *World) Get(path string) string {
	w.TB.Helper()
	text, err := w.get(path)
	w.must(err)
	return text
}

func (w *World) get(path string) (string, error) {
	req, err := http.NewRequest(http.MethodGet, "http://"+w.Addr+path, nil)
	if err != nil {
		return "", err
	}
	req.Close = true
	res, err := w.client.RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	return string(text), err
}

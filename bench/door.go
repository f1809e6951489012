package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/palantir/go-githubapp/githubapp"

	"github.com/stagecoach-app/stagecoach/handlers"
	"github.com/stagecoach-app/stagecoach/server/engine"
	"github.com/stagecoach-app/stagecoach/server/eventlog"
)

const hookSecret = "it is only a bench"

// door is the way in for deliveries, up to the moment at which GitHub has its answer.
type door struct {
	engine     *engine.Engine
	log        *eventlog.Log
	disk, fast http.Handler // the same dispatcher, before the event log and a queue in memory
	bodies     []string     // one push for each caller
	signatures []string
	accepted   atomic.Uint64
}

func openDoor(ctx context.Context, dir string) (*door, error) {
	e, err := engine.Open(ctx, engine.Options{Dir: dir})
	if err != nil {
		return nil, err
	}
	d := &door{engine: e}
	d.log, err = eventlog.Open(ctx, e.JetStream(), eventlog.Options{Alone: true, Intake: filepath.Join(dir, "intake"), KeyOf: func(eventType string, payload []byte) (string, bool, error) {
		key, err := handlers.Key(eventType, payload)
		return key, true, err
	}})
	if err == nil {
		_, err = e.JetStream().CreateStream(ctx, jetstream.StreamConfig{Name: "RAW", Subjects: []string{"raw.*"}, Storage: jetstream.FileStorage})
	}
	if err != nil {
		_ = e.Close()
		return nil, err
	}
	hooks := []githubapp.EventHandler{handlers.Hook{}}
	d.disk = githubapp.NewEventDispatcher(hooks, hookSecret, githubapp.WithScheduler(d.log))
	d.fast = githubapp.NewEventDispatcher(hooks, hookSecret, githubapp.WithScheduler(githubapp.QueueAsyncScheduler(1<<20, 16)))
	for caller := range 16 {
		body := fmt.Sprintf(`{"ref":"refs/heads/main","repository":{"id":%d,"full_name":"acme/gitops"},"note":%q}`, 1000+caller, strings.Repeat("x", 10<<10))
		mac := hmac.New(sha256.New, []byte(hookSecret))
		mac.Write([]byte(body))
		d.bodies, d.signatures = append(d.bodies, body), append(d.signatures, "sha256="+hex.EncodeToString(mac.Sum(nil)))
	}
	return d, nil
}

func (d *door) close(ctx context.Context) {
	d.log.Close(ctx)
	_ = d.engine.Close() // its folder is removed
}

func (d *door) durable(ctx context.Context, caller int) error {
	d.accepted.Add(1)
	return d.post(ctx, d.disk, caller)
}

func (d *door) inMemory(ctx context.Context, caller int) error { return d.post(ctx, d.fast, caller) }

func (d *door) post(ctx context.Context, to http.Handler, caller int) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "/api/github/hook", strings.NewReader(d.bodies[caller]))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-GitHub-Event", "push")
	req.Header.Set("X-GitHub-Delivery", rand.Text())
	req.Header.Set("X-Hub-Signature-256", d.signatures[caller])
	got := httptest.NewRecorder()
	to.ServeHTTP(got, req)
	if got.Code != http.StatusOK {
		return fmt.Errorf("a delivery was answered %d: %s", got.Code, got.Body)
	}
	return nil
}

// settle waits until all that was accepted is in the log.
func (d *door) settle(ctx context.Context) error {
	log, err := d.engine.JetStream().Stream(ctx, "STAGECOACH_EVENTS")
	for err == nil {
		var info *jetstream.StreamInfo
		if info, err = log.Info(ctx); err == nil && info.State.Msgs >= d.accepted.Load() {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
	return fmt.Errorf("wait until all that was accepted is in the log: %w", err)
}

// publish is the floor: the same bytes, synced, and nothing else.
func (d *door) publish(ctx context.Context, caller int) error {
	_, err := d.engine.JetStream().Publish(ctx, fmt.Sprintf("raw.%d", caller), []byte(d.bodies[caller]))
	return err
}

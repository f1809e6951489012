package engine

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// MaxPayload is the largest message of the embedded server, in bytes: GitHub's
// largest delivery is 25 MB
// (https://docs.github.com/en/webhooks/webhook-events-and-payloads#payload-cap),
// and its headers come on top.
const MaxPayload = 25<<20 + 1<<20

// Options say which JetStream to open.
type Options struct {
	// Dir is the data directory. The embedded server keeps its files in Dir/nats.
	// It is not used when URL is set.
	Dir string
	// URL is that of an existing NATS server, or several with commas between.
	// Empty: the embedded server.
	URL string
	// Replicas is how many servers of the cluster keep each message. 0: 3 in a
	// cluster, else 1. The embedded server keeps one.
	Replicas int
	// Timeout bounds the start of the embedded server, the connection, and the
	// handing in of what is under way at Close. 0: 20 seconds.
	Timeout time.Duration
}

func (o Options) withDefaults() (Options, error) {
	if o.URL == "" && o.Dir == "" {
		return o, errors.New("the engine needs a data directory: set STAGECOACH_DATA_DIR, or STAGECOACH_NATS_URL to use an existing NATS server")
	}
	if o.Replicas < 0 || o.Replicas > 5 {
		return o, fmt.Errorf("%d replicas: JetStream keeps 1 to 5", o.Replicas)
	}
	if o.Timeout == 0 {
		o.Timeout = 20 * time.Second
	}
	return o, nil
}

func (o Options) storeDir() string { return filepath.Join(o.Dir, "nats") }

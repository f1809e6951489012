package engine

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"
)

// The oldest server that has all we need: message schedules came with 2.12
// (https://docs.nats.io/release-notes/whats_new/whats_new_212).
const needMajor, needMinor = 2, 12

// connect opens the one connection, which reconnects for as long as it takes.
func (e *Engine) connect(log *zerolog.Logger, url string, more ...nats.Option) (*nats.Conn, error) {
	opts := append([]nats.Option{
		nats.Name("stagecoach"),
		nats.Timeout(e.opts.Timeout),
		nats.DrainTimeout(e.opts.Timeout),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(250 * time.Millisecond),
		// What is published while the connection is down fails at once, instead of
		// being held in memory as if it had been accepted.
		nats.ReconnectBufSize(-1),
		nats.ClosedHandler(func(*nats.Conn) { close(e.closed) }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				log.Warn().Err(err).Msg("Lost the connection to the event store")
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { log.Info().Msg("Connected to the event store again") }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			log.Warn().Err(err).Msg("The connection to the event store reports an error")
		}),
	}, more...)
	conn, err := nats.Connect(url, opts...)
	if err != nil {
		return nil, fmt.Errorf("connect to the event store%s: %w", at(url), err)
	}
	return conn, nil
}

// check refuses, in words, a server that lacks what we need.
func (e *Engine) check(ctx context.Context) error {
	if v := e.conn.ConnectedServerVersion(); !newEnough(v) {
		return fmt.Errorf("the NATS server%s has version %s, and Stagecoach needs %d.%d or newer: upgrade it, or leave STAGECOACH_NATS_URL empty to use the embedded one",
			at(e.opts.URL), v, needMajor, needMinor)
	}
	_, err := e.js.AccountInfo(ctx)
	if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
		return fmt.Errorf("the NATS server%s has no JetStream for this account: switch it on, or use another account: %w", at(e.opts.URL), err)
	}
	if err != nil {
		return fmt.Errorf("ask the event store%s for its limits: %w", at(e.opts.URL), err)
	}
	return nil
}

// newEnough reads "2.12.1" and "2.13.0-RC.2"; what it cannot read is too old.
func newEnough(version string) bool {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) < 2 {
		return false
	}
	major, err1 := strconv.Atoi(parts[0])
	minor, err2 := strconv.Atoi(parts[1])
	if err1 != nil || err2 != nil {
		return false
	}
	return major > needMajor || major == needMajor && minor >= needMinor
}

func at(urls string) string {
	if urls == "" {
		return ""
	}
	return " at " + redact(urls)
}

// redact takes names, passwords and tokens out of URLs, so that they can be shown:
// all between the scheme and the last @ of each.
func redact(urls string) string {
	var out []string
	for s := range strings.SplitSeq(urls, ",") {
		s = strings.TrimSpace(s)
		i := strings.LastIndexByte(s, '@')
		if i < 0 {
			out = append(out, s)
			continue
		}
		scheme, _, found := strings.Cut(s[:i], "://")
		if !found || strings.ContainsAny(scheme, ":@") {
			out = append(out, s[i+1:])
			continue
		}
		out = append(out, scheme+"://"+s[i+1:])
	}
	return strings.Join(out, ",")
}

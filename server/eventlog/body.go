package eventlog

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// headRoom is what a message's headers may take of the server's limit.
const headRoom = 16 << 10

// bodyRef says where a payload is: in the message itself, or in pieces of a set.
type bodyRef struct {
	set    string // empty: in the message
	pieces int
}

// storeBody puts the payload in pieces when it is above the server's limit, which
// on an existing cluster is 1 MB by default. They are synced when it returns.
func (l *Log) storeBody(ctx context.Context, e Event) (bodyRef, error) {
	limit := int(l.js.Conn().MaxPayload()) - headRoom
	if len(e.Payload) <= limit {
		return bodyRef{}, nil
	}
	ref := bodyRef{set: rand.Text()}
	for rest := e.Payload; len(rest) > 0; ref.pieces++ {
		n := min(limit, len(rest))
		msg := nats.NewMsg(ref.subject(e.GUID, ref.pieces))
		msg.Data, rest = rest[:n], rest[n:]
		// They go with their event. The time is for those of a process that died
		// between the pieces and the event.
		ttl := jetstream.WithMsgTTL(l.opts.AsideFor + l.opts.DoneFor + 24*time.Hour)
		if _, err := l.js.PublishMsg(ctx, msg, ttl); err != nil {
			return ref, fmt.Errorf("append a piece of the event %s: %w", e.GUID, err)
		}
	}
	return ref, nil
}

func (r bodyRef) subject(guid string, piece int) string {
	return bodyRoot + token(guid) + "." + r.set + "." + strconv.Itoa(piece)
}

// message is the event as it is stored under subject.
func (r bodyRef) message(subject string, e Event) *nats.Msg {
	msg := nats.NewMsg(subject)
	msg.Header = e.header()
	if r.set == "" {
		msg.Data = e.Payload
	} else {
		msg.Header.Set(headBody, r.set+"/"+strconv.Itoa(r.pieces))
	}
	return msg
}

// bodyIn reads what message wrote.
func bodyIn(h nats.Header) (bodyRef, error) {
	s := h.Get(headBody)
	if s == "" {
		return bodyRef{}, nil
	}
	set, count, ok := strings.Cut(s, "/")
	n, err := strconv.Atoi(count)
	if !ok || err != nil || n < 1 || !isToken(set) {
		return bodyRef{}, fmt.Errorf("the place of its payload, %q, cannot be read", s)
	}
	return bodyRef{set, n}, nil
}

// load gives the payload, from the message or from its pieces.
func (l *Log) load(ctx context.Context, guid string, ref bodyRef, data []byte) ([]byte, error) {
	if ref.set == "" {
		return data, nil
	}
	var all []byte
	for i := range ref.pieces {
		msg, err := l.events.GetLastMsgForSubject(ctx, ref.subject(guid, i))
		if err != nil {
			return nil, fmt.Errorf("read piece %d of %d of the event %s: %w", i+1, ref.pieces, guid, err)
		}
		all = append(all, msg.Data...)
	}
	return all, nil
}

// dropBody removes the pieces of one set, or of all when set is "*".
func (l *Log) dropBody(ctx context.Context, guid, set string) error {
	if set == "" {
		return nil
	}
	if err := l.events.Purge(ctx, jetstream.WithPurgeSubject(bodyRoot+token(guid)+"."+set+".*")); err != nil {
		return fmt.Errorf("remove the pieces of the event %s: %w", guid, err)
	}
	return nil
}

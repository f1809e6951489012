package eventlog

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
)

// Event is one delivery, one event of our own, or a wake.
type Event struct {
	GUID    string // of the delivery; one GUID is done once
	Type    string // GitHub's name of the event, or "stagecoach." and ours
	Key     string // the lane
	Payload []byte
	// ReceivedAt is when it was accepted; of a wake, when it was due.
	ReceivedAt time.Time
	Tries      int    // earlier tries that failed; 0: this is the first
	Reason     string // why the last try failed

	flight *flight // nil: not from Run
}

// The headers of a stored event. The payload is the body of the message.
const (
	headGUID   = "Sc-Guid"
	headType   = "Sc-Type"
	headKey    = "Sc-Key"
	headAt     = "Sc-At"
	headTries  = "Sc-Tries"
	headReason = "Sc-Reason"
	headAside  = "Sc-Aside-At"
	headSize   = "Sc-Size" // of the payload, in bytes
	headBody   = "Sc-Body" // where the pieces of the payload are; absent: in this message
)

// maxReason bounds what is kept of an error's text: headers count towards the
// server's message limit.
const maxReason = 2000

// header writes all of an event but its payload.
func (e Event) header() nats.Header {
	h := nats.Header{}
	h.Set(headGUID, e.GUID)
	h.Set(headType, e.Type)
	h.Set(headKey, e.Key)
	h.Set(headAt, e.ReceivedAt.UTC().Format(time.RFC3339Nano))
	h.Set(headSize, strconv.Itoa(len(e.Payload)))
	if e.Tries > 0 {
		h.Set(headTries, strconv.Itoa(e.Tries))
	}
	if e.Reason != "" {
		h.Set(headReason, strconv.QuoteToASCII(e.Reason[:min(len(e.Reason), maxReason)]))
	}
	return h
}

// fromHeader reads what header wrote.
func fromHeader(h nats.Header) (Event, error) {
	e := Event{GUID: h.Get(headGUID), Type: h.Get(headType), Key: h.Get(headKey)}
	if e.GUID == "" || e.Type == "" || e.Key == "" {
		return e, errors.New("it lacks its GUID, type or key: something else than Stagecoach wrote it")
	}
	var err error
	if e.ReceivedAt, err = time.Parse(time.RFC3339Nano, h.Get(headAt)); err != nil {
		return e, fmt.Errorf("its time of arrival: %w", err)
	}
	if s := h.Get(headTries); s != "" {
		if e.Tries, err = strconv.Atoi(s); err != nil {
			return e, fmt.Errorf("its number of tries: %w", err)
		}
	}
	if s := h.Get(headReason); s != "" {
		if e.Reason, err = strconv.Unquote(s); err != nil {
			return e, fmt.Errorf("the reason of its last failure: %w", err)
		}
	}
	return e, nil
}

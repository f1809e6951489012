package eventlog

import (
	"errors"
	"fmt"
	"time"
)

// KeyOf says which lane a delivery belongs to: "r" and a repository's ID, or "i"
// and an installation's. keep is false when nobody needs the delivery: it is
// answered and not stored. An error means that the payload cannot be read: it is
// set aside, for a person to see.
type KeyOf func(eventType string, payload []byte) (key string, keep bool, err error)

// Options of a log. The zero value of each field is its default.
type Options struct {
	// Replicas is how many servers keep each event. 0: 1.
	Replicas int
	// Partitions is fixed for the life of a log: another number is refused. 0: as many as
	// it was made with, and 64 for a new one.
	Partitions int
	// Alone says that no other process works on this log, so that what an earlier
	// process had taken and not finished comes at once, without a wait for AckWait.
	Alone bool
	// Intake is the directory of what was accepted in a crowd and is not in the log yet.
	// It is for a log of one process alone. Empty: every event waits for a sync of its own.
	Intake string
	// AckWait is how long an event stays with a process that gives no sign of life.
	// Signs of life are given every third of it. 0: 5 seconds, a minute when Alone.
	AckWait time.Duration
	// DoneFor is how long a GUID that is done is remembered. 0: 8 days.
	DoneFor time.Duration
	// AsideFor is how long an event that was set aside is kept. 0: 30 days.
	AsideFor time.Duration
	// MaxTries is after how many tries a failing event is set aside. 0: 40, which with
	// the worker's pauses bears an outage of two and a half hours.
	MaxTries int
	// MaxInFlight is how many events of a partition may be taken and not finished;
	// beyond it a slow lane holds up its partition. 0: 4096.
	MaxInFlight int
	// MaxBytes is how much the log may take on disk before Schedule refuses what
	// comes. 0: 1 GiB.
	MaxBytes int64
	// KeyOf is what Schedule asks. nil: Schedule fails.
	KeyOf KeyOf
	// Now is the clock. nil: time.Now.
	Now func() time.Time
}

func (o Options) withDefaults() (Options, error) {
	orInt := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	orTime := func(v *time.Duration, d time.Duration) {
		if *v == 0 {
			*v = d
		}
	}
	orInt(&o.Replicas, 1)
	orInt(&o.MaxTries, 40)
	orInt(&o.MaxInFlight, 4096)
	if o.MaxBytes == 0 {
		o.MaxBytes = 1 << 30
	}
	if o.Alone {
		orTime(&o.AckWait, time.Minute)
	}
	orTime(&o.AckWait, 5*time.Second)
	orTime(&o.DoneFor, 8*24*time.Hour)
	orTime(&o.AsideFor, 30*24*time.Hour)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Intake != "" && !o.Alone {
		return o, errors.New("event log: an intake is for a log that no other process works on")
	}
	if o.Partitions < 0 || o.MaxTries < 1 || o.MaxInFlight < 1 || o.AckWait < time.Second || o.DoneFor < 0 || o.AsideFor < 0 || o.MaxBytes < 0 {
		return o, fmt.Errorf("event log: options out of range: %d partitions, %d tries, %d in flight, AckWait %s (at least 1s), DoneFor %s, AsideFor %s, %d bytes",
			o.Partitions, o.MaxTries, o.MaxInFlight, o.AckWait, o.DoneFor, o.AsideFor, o.MaxBytes)
	}
	return o, nil
}

// pullExpiry is how long one request for events stands. What a server hands to the
// open request of a dead process is lost for AckWait, so that it is short where
// several processes share the log.
func (o Options) pullExpiry() time.Duration {
	if o.Alone {
		return 30 * time.Second
	}
	return 2 * time.Second
}

// pinnedFor is how long a partition stays with a process that asks for nothing.
func (o Options) pinnedFor() time.Duration {
	return max(o.AckWait, 2*o.pullExpiry()) + time.Second
}

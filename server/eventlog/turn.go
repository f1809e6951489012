package eventlog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

// settle finds out, when the partition came to us from somebody else or a delivery
// got lost, which earlier events are still out. The server sends them again only
// after AckWait, and newer ones of their lanes must not pass them. It reports
// whether that is known.
func (p *partition) settle(msg jetstream.Msg, meta *jetstream.MsgMetadata) bool {
	pin := msg.Headers().Get("Nats-Pin-Id")
	moved := pin != p.pin && !(p.log.opts.Alone && p.pin == "")
	lost := p.last != 0 && meta.Sequence.Consumer > p.last+1
	if moved || lost {
		if !p.log.keepTrying(p.ctx, "look for unfinished events", func() error { return p.findBefore(p.ctx) }) {
			return false
		}
	}
	p.pin, p.last = pin, meta.Sequence.Consumer
	return true
}

// findBefore lists the events that were delivered, are not finished, and are not
// with us.
func (p *partition) findBefore(ctx context.Context) error {
	info, err := p.consumer.Info(ctx)
	if err != nil {
		return fmt.Errorf("ask for the state of partition %d: %w", p.number, err)
	}
	before := map[string][]uint64{}
	for seq := info.AckFloor.Stream + 1; seq <= info.Delivered.Stream; {
		msg, err := p.log.events.GetMsg(ctx, seq, jetstream.WithGetMsgSubject(p.filter()))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			break
		}
		if err != nil {
			return fmt.Errorf("look for the unfinished events of partition %d: %w", p.number, err)
		}
		if msg.Sequence <= info.Delivered.Stream && !p.log.flights.has(msg.Sequence) {
			key := keyIn(msg.Subject)
			before[key] = append(before[key], msg.Sequence)
		}
		seq = msg.Sequence + 1
	}
	p.before = before
	for key := range p.waiting {
		p.advance(key)
	}
	return nil
}

// resolve strikes off what was finished by whoever had it, and hands on what
// waited for that.
func (p *partition) resolve(ctx context.Context) {
	if !p.mu.TryLock() {
		return // it is at work, and there is a next time
	}
	defer p.mu.Unlock()
	if p.ctx == nil {
		return
	}
	for key, before := range p.before {
		p.before[key] = slices.DeleteFunc(before, func(seq uint64) bool {
			_, err := p.log.events.GetMsg(ctx, seq)
			return errors.Is(err, jetstream.ErrMsgNotFound)
		})
		p.advance(key)
	}
}

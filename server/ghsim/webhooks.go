package ghsim

import (
	"fmt"
	"slices"
)

// Deliveries lists what was sent or tried so far, in the order in which the attempts ended.
func (s *Sim) Deliveries() []Delivery {
	s.hooks.mu.Lock()
	defer s.hooks.mu.Unlock()
	out := make([]Delivery, 0, len(s.hooks.all))
	for _, d := range s.hooks.all {
		out = append(out, d.Delivery)
	}
	return out
}

// DropWebhooks makes matching deliveries fail as if the receiver were down; they stand in the delivery list and can be
// sent again. It is asked once for every attempt, redeliveries included.
func (s *Sim) DropWebhooks(match func(Delivery) bool) (remove func()) {
	return s.hooks.add(&s.hooks.drop, match)
}

// LoseWebhooks makes matching events give no delivery at all, not even a failed one: what GitHub never sends.
func (s *Sim) LoseWebhooks(match func(Delivery) bool) (remove func()) {
	return s.hooks.add(&s.hooks.lose, match)
}

// PauseWebhooks holds deliveries back until ResumeWebhooks; they queue in order.
func (s *Sim) PauseWebhooks() { s.hooks.pause() }

// ResumeWebhooks ends what PauseWebhooks began.
func (s *Sim) ResumeWebhooks() { s.hooks.resume() }

// Redeliver queues the latest delivery with that GUID once more.
func (s *Sim) Redeliver(guid string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range slices.Backward(s.hooks.ended()) {
		if d.GUID == guid {
			s.redeliver(d)
			return nil
		}
	}
	return fmt.Errorf("redeliver: no delivery has ended with the GUID %s", guid)
}

func (s *Sim) redeliver(d *delivery) {
	again := &delivery{Delivery: d.Delivery, target: d.target}
	if a := s.apps[d.target.app]; a != nil {
		again.target.url, again.target.secret = a.hookURL, a.hookSecret
	}
	again.ID, again.Redelivery, again.Status, again.StatusCode = s.nextID(), true, "", 0
	s.hooks.enqueue(again)
}

func (c *courier) ended() []*delivery {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.all)
}

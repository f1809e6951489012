package ghsim

import (
	"math/rand/v2"
	"time"
)

// DuplicateWebhooks has matching events delivered twice, with one GUID.
func (s *Sim) DuplicateWebhooks(match func(Delivery) bool) (remove func()) {
	return s.hooks.add(&s.hooks.twice, match)
}

// DelayWebhooks holds matching events back for a time of the wall clock; what happens meanwhile overtakes them.
func (s *Sim) DelayWebhooks(d time.Duration, match func(Delivery) bool) (remove func()) {
	s.hooks.mu.Lock()
	s.hooks.delay = d
	s.hooks.mu.Unlock()
	return s.hooks.add(&s.hooks.late, match)
}

// ShuffleWebhooks brings what waits to be sent into an order that the seed decides. Pause first, so that something waits.
func (s *Sim) ShuffleWebhooks(seed uint64) {
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // an order, no secret
	s.hooks.mu.Lock()
	defer s.hooks.mu.Unlock()
	for _, queue := range s.hooks.queues {
		random.Shuffle(len(queue), func(i, j int) { queue[i], queue[j] = queue[j], queue[i] })
	}
}

// SendEvent sends any event to the Apps that are installed on a repository, whether they subscribe or not: one that GitHub
// may add some day, or one of something that is not simulated, such as registry_package.
func (s *Sim) SendEvent(repo Repo, login, event, action string, body map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.repos[repo.ID]
	if r == nil {
		return
	}
	guid, u := newGUID(), s.addPerson(login)
	for _, inst := range s.installedOn(r) {
		payload := merged(obj{"repository": s.repoJSON(r)}, body, obj{"sender": s.userJSON(u), "installation": obj{"id": inst.id}})
		if action != "" {
			payload["action"] = action
		}
		s.send(inst, event, action, r.id, guid, payload)
	}
}

// postpone puts a delivery into its lane after the delay, unless the courier closes before.
func (c *courier) postpone(d *delivery) {
	timer := time.NewTimer(c.delay)
	c.open++
	c.group.Add(1)
	go func() {
		defer c.group.Done()
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-c.ctx.Done():
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.closed {
			c.finished(1)
			return
		}
		c.push(d)
	}()
}

// push puts a delivery, which is counted already, at the end of its lane.
func (c *courier) push(d *delivery) {
	l := lane{d.target.app, d.Repository}
	c.queues[l] = append(c.queues[l], d)
	c.start(l)
}

package ghsim

import (
	"net/http"
	"time"
)

// lags are how late GitHub's replicas show what happened. All are 0 at first: everything shows at once.
type lags struct {
	list, read, token time.Duration
	made              map[int64]time.Time // by ID, what was made while lists or reads lag
	served            map[string]any      // the last body of each address, while reads lag
}

// SetListLag has new things, such as comments, check runs or deployments, missing in lists until a time has passed by
// Options.Clock. Reads of one thing, and answers to writes, know them at once.
func (s *Sim) SetListLag(d time.Duration) { s.setLag(func(l *lags) { l.list = d }) }

// SetReadLag has reads come from replicas that are behind by a time of Options.Clock: of what is new they answer 404, and of
// what changed what it was when it was last read.
func (s *Sim) SetReadLag(d time.Duration) {
	s.setLag(func(l *lags) { l.read, l.served = d, map[string]any{} })
}

// SetTokenLag has repositories answer 404 to an installation token until a time of Options.AuthClock has passed since it was made.
func (s *Sim) SetTokenLag(d time.Duration) { s.setLag(func(l *lags) { l.token = d }) }

func (s *Sim) setLag(change func(*lags)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.lags)
	s.lags.made = map[int64]time.Time{}
}

// noteMade remembers when something was made, while that matters.
func (s *Sim) noteMade(id int64) {
	if s.lags.list > 0 || s.lags.read > 0 {
		s.lags.made[id] = s.opts.Clock()
	}
}

// isNew says whether something was made less than a lag ago.
func (s *Sim) isNew(id any, lag time.Duration) bool {
	number, is := id.(int64)
	at, known := s.lags.made[number]
	return is && known && s.opts.Clock().Sub(at) < lag
}

// tooFresh says whether a token is so new that repositories do not know it.
func (s *Sim) tooFresh(p principal) bool {
	return p.kind == asInstalled && s.lags.token > 0 && s.opts.AuthClock().Sub(p.token.expires.Add(-tokenLife)) < s.lags.token
}

// replica is what a replica that lags answers to a read.
func (c *call) replica(answer reply) reply {
	if c.lags.read == 0 || !isRead(c.r.Method) || answer.status != http.StatusOK || c.repo == nil {
		return answer
	}
	if body, is := answer.body.(obj); is && c.isNew(body["id"], c.lags.read) {
		return notFound()
	}
	key, now := c.r.URL.RequestURI(), c.opts.Clock()
	last, known := c.lags.served[key]
	if known && now.Sub(c.repo.wrote) < c.lags.read {
		answer.body = last
	}
	c.lags.served[key] = answer.body
	return answer
}

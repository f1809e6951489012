package ghsim

import "time"

// Secondary are the secondary limits, for each credential's owner. 0 is no limit; the zero value has none.
type Secondary struct {
	// ContentPerMinute and ContentPerHour bound what makes content that people see: every POST to a repository.
	ContentPerMinute, ContentPerHour int
	// EditsCount has PATCH, PUT and DELETE count as content too. GitHub does not say whether they do.
	EditsCount bool
	// PointsPerMinute bounds all requests: a read is 1 point, a write 5.
	PointsPerMinute int
	// Concurrent bounds the requests under way at once, REST and GraphQL together.
	Concurrent int
}

// GitHubSecondary is what GitHub documents (docs.github.com, "Rate limits for the REST API").
func GitHubSecondary() Secondary {
	return Secondary{ContentPerMinute: 80, ContentPerHour: 500, PointsPerMinute: 900, Concurrent: 100}
}

// LimitAnswers says how limits are answered.
type LimitAnswers struct {
	// Status is 403 when 0. GitHub also answers 429.
	Status int
	// NoRetryAfter leaves the header out: a client then waits a minute at least.
	NoRetryAfter bool
}

// SetSecondary sets the secondary limits.
func (s *Sim) SetSecondary(limits Secondary) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.secondary = limits
}

// SetLimitAnswers sets how both kinds of limits are answered.
func (s *Sim) SetLimitAnswers(answers LimitAnswers) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limitAnswers = answers
}

// BlockFor answers all requests of an installation with the secondary limit, for a time by Options.Clock. 0 ends it.
func (s *Sim) BlockFor(installation int64, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recentOf(installationKey(installation)).blocked = s.opts.Clock().Add(d)
}

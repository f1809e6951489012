package promotion

import (
	"crypto/sha256"
	"time"
)

// maxRaces is how often in a row a merge is tried again because its base moved
// under it. With the pauses between them that is some five minutes, in which even
// a busy branch rests once. After that something has to happen.
const maxRaces = 8

// raceAgain puts off an effect that lost a race, each time for longer. It reports
// whether that is over.
func (c *core) raceAgain(e *Effect, err error) (over bool) {
	e.Races++
	if e.Races > maxRaces {
		return true
	}
	pause := spread(time.Second+Pause(e.Races), e.ID, e.Races)
	e.NotBefore = c.now.Add(pause)
	p := c.promotion(e.Promotion)
	if p == nil {
		return false
	}
	p = c.own(p)
	p.Stirred = false // the next try reads it anew
	why := c.whyUnmerged(p)
	if pause >= time.Minute { // what takes less is not worth a write
		why = sentence("%s; it is tried again at %s", err, clockOf(e.NotBefore, c.now))
	}
	c.tellWait(e, why)
	return false
}

// spread lengthens a pause by up to a half, so that merges that raced each other
// do not meet again. What decides is a hash: the core draws no lots. It is of whole
// milliseconds, as the core's time is: a finer one would come due a moment too late.
func spread(pause time.Duration, id string, try int) time.Duration {
	sum := sha256.Sum256([]byte(sentence("%s %d", id, try)))
	return (pause + pause*time.Duration(sum[0])/512).Truncate(time.Millisecond)
}

// raced is the result of a merge that lost too many races: it waits until the
// branch moves once more, or something else says that it may go now.
func (p *Promotion) raced(r Result) Result {
	why := sentence("Not merged yet: %s, %d times in a row. It is tried again when %s moves, or a check or a review comes", r.Err, maxRaces+1, p.Plan.Branch)
	pull := *p.PullRequest
	pull.Stale = false // it was read before each try
	return Result{Effect: r.Effect, Phase: StepWaiting, Tried: true, Message: why, PullRequest: &pull}
}

// stirRaced tries merges again that gave up because a branch moved under them.
func (c *core) stirRaced(branch string) {
	for _, p := range c.onto(branch, c.somewhere(placeRace+branch)) {
		if p.Raced {
			c.stir(p)
		}
	}
}

package window

import "math"

// never is the time of a change that does not come.
const never = math.MaxInt64

// rule is a window that can be asked: times by the clock of a place.
type rule struct {
	times times
	place *place
}

// before is how many numbers before that of now spans may still last: a span
// lasts into the next unit, and the clock may have been a whole day ahead.
const before = 3

// at says whether the rule covers an instant, and when that changes next: exact
// up to limit, and later than limit where nothing changes until then.
func (r rule) at(now, limit int64) (covered bool, change int64) {
	if w, ok := r.times.(weekly); ok && w.always() {
		return true, never
	}
	end := int64(math.MinInt64) // of what covers now, and what touches it
	for n := r.times.number(now-reach) - before; n <= r.times.number(limit+reach); n++ {
		from, to, ok := r.between(n, now)
		switch {
		case !ok || from >= to || to <= now: // none, skipped by the clock, or over
		case !covered && from > now:
			return false, from
		case covered && (from > end || end > limit):
			return true, end
		default:
			covered, end = true, to
		}
	}
	if covered {
		return true, end
	}
	return false, never
}

// between is the span of a number as instants. Spans that are over are left out
// early.
func (r rule) between(number, now int64) (from, to int64, ok bool) {
	from, to, ok = r.times.span(number)
	if !ok || to+reach <= now {
		return 0, 0, false
	}
	return r.place.begins(from), r.place.ends(to), true
}

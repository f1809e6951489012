package window

import (
	"fmt"
	"math"
	"time"
)

// Verdict is what windows say of an instant.
type Verdict struct {
	Open  bool
	Until time.Time // when Open changes, UTC, to the second; zero: not within two years
	Text  string    // one sentence, for titles: Window opens Mon 09:00 Europe/Berlin
}

// Judge says whether windows let anything through now. Without windows all is
// open. It fails where a window's Check does.
func Judge(windows []Window, now time.Time) (Verdict, error) {
	if year := now.UTC().Year(); year < 1 || year > 9000 {
		return Verdict{}, fmt.Errorf("the windows cannot be judged in the year %d", year)
	}
	limit := now.UTC().AddDate(2, 0, 0).Unix()
	all, err := follow(windows, now.Unix(), limit)
	if err != nil {
		return Verdict{}, err
	}
	verdict := Verdict{Open: open(all)}
	holder := holds(all)
	change := first(all)
	for ; change <= limit; change = first(all) {
		if move(all, change, limit); open(all) != verdict.Open {
			break
		}
	}
	if change <= limit {
		verdict.Until = time.Unix(change, 0).UTC()
	}
	verdict.Text = verdict.sentence(cause(all, change), holder, now)
	return verdict, nil
}

// track follows a window through time.
type track struct {
	Window

	rule    rule
	covers  bool
	begun   int64 // when covers became what it is; math.MinInt64: before the time asked for
	changes int64 // when covers changes next
}

func follow(windows []Window, now, limit int64) ([]*track, error) {
	all := make([]*track, len(windows))
	for i, w := range windows {
		r, err := w.rule()
		if err != nil {
			return nil, err
		}
		all[i] = &track{Window: w, rule: r, begun: math.MinInt64}
		all[i].covers, all[i].changes = r.at(now, limit)
	}
	return all, nil
}

// first is the next time at which any window changes.
func first(all []*track) int64 {
	next := int64(never)
	for _, t := range all {
		next = min(next, t.changes)
	}
	return next
}

// move takes all that changes at a time to it.
func move(all []*track, at, limit int64) {
	for _, t := range all {
		if t.changes == at {
			t.begun = at
			t.covers, t.changes = t.rule.at(at, limit)
		}
	}
}

// open is what some allow, if there is one, and no deny covers.
func open(all []*track) bool {
	allows, allowed := false, false
	for _, t := range all {
		if t.Deny != "" && t.covers {
			return false
		}
		if t.Allow != "" {
			allows, allowed = true, allowed || t.covers
		}
	}
	return allowed || !allows
}

// holds is the deny that covers now and lasts longest, or nil.
func holds(all []*track) *track {
	var longest *track
	for _, t := range all {
		if t.Deny != "" && t.covers && (longest == nil || t.changes > longest.changes) {
			copied := *t
			longest = &copied
		}
	}
	return longest
}

// cause is the first window that changed at a time, or nil.
func cause(all []*track, at int64) *track {
	for _, t := range all {
		if t.begun == at {
			return t
		}
	}
	return nil
}

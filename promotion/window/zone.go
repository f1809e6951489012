package window

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // for machines and images that have no time zones
)

// zones holds each *time.Location by its name, so that a zone's file is read
// once. Names that exist are few; others are not kept.
var zones sync.Map

// ofMachine are names that mean another zone on each machine.
var ofMachine = []string{"Local", "localtime", "posixrules", "Factory"}

func zone(name string) (*time.Location, error) {
	if loc, ok := zones.Load(name); ok {
		return loc.(*time.Location), nil
	}
	loc, err := load(name)
	if err != nil {
		return nil, fmt.Errorf("there is no time zone %q%s; zones are written like UTC or Europe/Berlin (IANA names)", name, meant(name))
	}
	zones.Store(name, loc)
	return loc, nil
}

func load(name string) (*time.Location, error) {
	if slices.Contains(ofMachine, name) {
		return nil, fmt.Errorf("%s differs from machine to machine", name)
	}
	return time.LoadLocation(name)
}

// meant asks whether another spelling of the name is that of a zone.
func meant(name string) string {
	spaced := strings.ReplaceAll(strings.TrimSpace(name), " ", "_")
	for _, other := range []string{spaced, strings.ToUpper(spaced), titled(spaced)} {
		if other == "" || other == name {
			continue
		}
		if _, err := load(other); err == nil {
			return " (did you mean " + other + "?)"
		}
	}
	return ""
}

// titled writes the letter that begins each word large and the others small, as
// the names of most zones are.
func titled(name string) string {
	begin := true
	return strings.Map(func(r rune) rune {
		c := strings.ToLower(string(r))
		if begin {
			c = strings.ToUpper(c)
		}
		begin = r == '/' || r == '_' || r == '-'
		return []rune(c)[0]
	}, name)
}

// reach is more than any clock is off UTC, in seconds.
const reach = 26 * 3600

// segment is a time during which a clock is off UTC by the same seconds.
type segment struct{ from, to, offset int64 }

// place has a clock. It remembers the segment that was asked for last, because
// most questions are about the same one; so it is for one goroutine.
type place struct {
	loc  *time.Location
	last segment
}

func (p *place) segment(at int64) segment {
	if at < p.last.from || at >= p.last.to {
		p.last = segmentAt(p.loc, at)
	}
	return p.last
}

func segmentAt(loc *time.Location, at int64) segment {
	t := time.Unix(at, 0).In(loc)
	_, offset := t.Zone()
	s := segment{from: math.MinInt64, to: math.MaxInt64, offset: int64(offset)}
	from, to := t.ZoneBounds()
	if !from.IsZero() {
		s.from = from.Unix()
	}
	if !to.IsZero() {
		s.to = to.Unix()
	}
	return s
}

// begins is the first instant at which the clock reads wall or later. Wall times
// are seconds since 1970 as the clock counts them, instants as UTC does.
func (p *place) begins(wall int64) int64 {
	for s := p.segment(wall - reach); ; s = p.segment(s.to) {
		if at := max(s.from, wall-s.offset); at < s.to {
			return at
		}
	}
}

// ends is the first instant from which on the clock never reads less than wall.
func (p *place) ends(wall int64) int64 {
	for s := p.segment(wall + reach); ; s = p.segment(s.from - 1) {
		if at := min(s.to, wall-s.offset); at > s.from {
			return at
		}
	}
}

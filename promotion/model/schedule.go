package model

import "math/rand/v2"

// The sizes of schedules.
const (
	mostStages = 6
	mostMoves  = 40
	traitCount = 12
)

// Schedule is a config and what happens. Smaller numbers are simpler: the zero
// of a trait is a stage without that trait, and with the luck 0 nothing fails.
type Schedule struct {
	Stages []Traits
	Moves  []Move
	Beside bool // the repository has a second pipeline, see besideName
}

// Traits shape one stage; see the trait constants.
type Traits [traitCount]byte

// The traits of a stage.
const (
	traitAfter     = iota // bits: which of the stages before it it comes after
	traitAny              // afterMode: any
	traitAuto             // promote: auto
	traitDeliver          // commit, pull-request, pull-request merged by the app, none
	traitSoak             // none, 30 min, 2 h
	traitChecks           // gates.checks
	traitApprovals        // none, one of who may promote, two of named ones, one but not who asked for it
	traitWindows          // on weekdays from 9 to 17 UTC
	traitVerify           // none, hold, rollback, ignore
	traitSupersede        // queued, open, never
	traitLimits           // bits: timeout, step timeout, two tries, continueOnError
	traitOther            // bits: allow, no steps, a branch of its own
)

// Move is one thing that happens. What Op, Who, Where and What mean is said in
// moves.go; Luck seeds what goes wrong meanwhile.
type Move struct {
	Op, Who, Where, What byte
	Luck                 uint16
}

// Drawn is the schedule of a seed.
func Drawn(seed uint64) Schedule {
	rng := rand.New(rand.NewPCG(seed, 0x5ced))
	var s Schedule
	for range 1 + rng.IntN(mostStages) {
		s.Stages = append(s.Stages, drawnTraits(rng))
	}
	calm := rng.IntN(3) == 0 // people may be right and wrong without any fault too
	for range 6 + rng.IntN(12) {
		m := Move{Op: byte(rng.IntN(256)), Who: byte(rng.IntN(256)), Where: byte(rng.IntN(256)), What: byte(rng.IntN(256))}
		if !calm && rng.IntN(2) == 0 {
			m.Luck = uint16(1 + rng.IntN(1<<16-1))
		}
		s.Moves = append(s.Moves, m)
	}
	s.Beside = rng.IntN(3) == 0
	return s
}

// drawnTraits keeps most traits simple, so that gates do not hide each other.
func drawnTraits(rng *rand.Rand) Traits {
	var t Traits
	for i := range t {
		often := 4
		if i <= traitDeliver {
			often = 2
		}
		if rng.IntN(often) == 0 || i == traitAuto && rng.IntN(2) == 0 {
			t[i] = byte(1 + rng.IntN(255))
		}
	}
	return t
}

// FromBytes reads a schedule out of any bytes, as a fuzzer makes them.
func FromBytes(data []byte) Schedule {
	next := func() (b byte) {
		if len(data) > 0 {
			b, data = data[0], data[1:]
		}
		return b
	}
	first := next()
	s := Schedule{Beside: first&besideBit != 0}
	for range 1 + int(first&^besideBit)%mostStages {
		var t Traits
		for i := range t {
			t[i] = next()
		}
		s.Stages = append(s.Stages, t)
	}
	for len(data) > 0 && len(s.Moves) < mostMoves {
		s.Moves = append(s.Moves, Move{Op: next(), Who: next(), Where: next(), What: next(), Luck: uint16(next())<<8 | uint16(next())})
	}
	return s
}

// besideBit stands in the first byte of a schedule with a second pipeline.
const besideBit = 0x80

// Bytes are what FromBytes reads the same schedule from.
func (s Schedule) Bytes() []byte {
	out := []byte{byte(len(s.Stages) - 1)}
	if s.Beside {
		out[0] |= besideBit
	}
	for _, t := range s.Stages {
		out = append(out, t[:]...)
	}
	for _, m := range s.Moves {
		out = append(out, m.Op, m.Who, m.Where, m.What, byte(m.Luck>>8), byte(m.Luck))
	}
	return out
}

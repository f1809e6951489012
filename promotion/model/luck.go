package model

// luck is a stream of small numbers that a move's Luck seeds; 0 gives zeros, and
// zero means that nothing unusual happens.
type luck uint64

func newLuck(seed uint16) luck { return luck(seed) * 0x9e3779b97f4a7c15 }

// draw is below n, and 0 when all goes well.
func (l *luck) draw(n int) int {
	if *l == 0 {
		return 0
	}
	x := uint64(*l)
	x ^= x << 13
	x ^= x >> 7
	x ^= x << 17
	*l = luck(x)
	return int(x >> 33 % uint64(n))
}

// one is true once in n times, and never when all goes well.
func (l *luck) one(n int) bool { return *l != 0 && l.draw(n) == 1%n }

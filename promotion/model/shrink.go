package model

// Shrink makes a failing schedule as short and simple as it can while it still
// fails with the same promise: moves go, then luck, then traits and stages.
func Shrink(s Schedule, fails func(Schedule) bool) Schedule {
	for range 8 {
		smaller := dropMoves(s, fails)
		smaller = simplify(smaller, fails)
		if string(smaller.Bytes()) == string(s.Bytes()) {
			return s
		}
		s = smaller
	}
	return s
}

// dropMoves drops runs of moves, long ones first.
func dropMoves(s Schedule, fails func(Schedule) bool) Schedule {
	for size := len(s.Moves); size > 0; size /= 2 {
		for from := 0; from+size <= len(s.Moves); {
			try := s
			try.Moves = append(append([]Move{}, s.Moves[:from]...), s.Moves[from+size:]...)
			if fails(try) {
				s = try
			} else {
				from++
			}
		}
	}
	return s
}

// simplify takes the last stage away, traits out of stages, and luck and numbers
// out of moves.
func simplify(s Schedule, fails func(Schedule) bool) Schedule {
	keep := func(try Schedule) {
		if fails(try) {
			s = try
		}
	}
	for len(s.Stages) > 1 {
		try := s
		try.Stages = s.Stages[:len(s.Stages)-1]
		if !fails(try) {
			break
		}
		s = try
	}
	if s.Beside {
		try := s.clone()
		try.Beside = false
		keep(try)
	}
	for i := range s.Stages {
		for k := range s.Stages[i] {
			if s.Stages[i][k] != 0 {
				try := s.clone()
				try.Stages[i][k] = 0
				keep(try)
			}
		}
	}
	for i := range s.Moves {
		for _, change := range []func(*Move){
			func(m *Move) { m.Luck = 0 }, func(m *Move) { m.Who = 0 }, func(m *Move) { m.Where = 0 }, func(m *Move) { m.What = 0 },
		} {
			try := s.clone()
			if change(&try.Moves[i]); try.Moves[i] != s.Moves[i] {
				keep(try)
			}
		}
	}
	return s
}

func (s Schedule) clone() Schedule {
	return Schedule{append([]Traits{}, s.Stages...), append([]Move{}, s.Moves...), s.Beside}
}

package promotion

// Nearest is the option that is fewest edits away from word, or "" when none is
// near enough to be a likely slip: at most a third of its letters, rounded up.
func Nearest(word string, options []string) string {
	best, distance := "", 1<<30
	for _, o := range options {
		if d := EditDistance(word, o); d < distance {
			best, distance = o, d
		}
	}
	if best == "" || distance > (max(len(word), len(best))+2)/3 {
		return ""
	}
	return best
}

// EditDistance counts insertions, deletions, substitutions and swaps of
// neighbours that turn a into b (optimal string alignment).
func EditDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}

package handlers

// oneEdit reports whether one letter added, left out, changed, or swapped with
// its neighbour turns a into b. Equal words are no edit away.
func oneEdit(a, b string) bool {
	x, y := []rune(a), []rune(b)
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	switch {
	case len(x) == 2 && len(y) == 2:
		return x[0] == y[1] && x[1] == y[0]
	case len(x) > 1 || len(y) > 1:
		return false
	}
	return len(x)+len(y) > 0
}

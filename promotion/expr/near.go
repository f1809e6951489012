package expr

import "strings"

// nearest returns the word of known that name is most likely meant to be, or "".
func nearest(name string, known []string) string {
	const maxWord = 100 // bytes; what is longer is no slip of a name
	if len(name) > maxWord {
		return ""
	}
	best, least := "", nearEnough(name)
	for _, word := range known {
		if len(word) > maxWord {
			continue
		}
		if strings.EqualFold(word, name) || strings.HasPrefix(word, name+"-") {
			return word
		}
		if d := distance(name, word); d < least {
			best, least = word, d
		}
	}
	return best
}

// distance counts the letters to insert, delete, replace or swap with their
// neighbour to turn a into b.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	var before, above []int
	row := make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	for i := range s {
		before, above, row = above, row, make([]int, len(t)+1)
		row[0] = i + 1
		for j := range t {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			row[j+1] = min(above[j+1]+1, row[j]+1, above[j]+cost)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(t)]
}

// nearEnough is the distance that is too far to be a slip: above a third of the
// letters, or all of them.
func nearEnough(name string) int {
	letters := len([]rune(name))
	return min(1+max(1, letters/3), max(letters, 1))
}

package config

import (
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

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
		if strings.EqualFold(word, name) {
			return word
		}
		if d := promotion.EditDistance(name, word); d < least {
			best, least = word, d
		}
	}
	return best
}

// nearEnough is the distance that is too far to be a slip: above a third of the
// letters, or all of them.
func nearEnough(name string) int {
	letters := len([]rune(name))
	return min(1+max(1, letters/3), max(letters, 1))
}

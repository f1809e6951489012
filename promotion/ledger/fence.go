package ledger

import (
	"strings"
	"unicode"
)

// maxDiff bounds a diff in bytes; what stands around it has the rest of a comment.
const maxDiff = 40_000

// fenced is text as a block of code. The fence is longer than any in the text, so
// that nothing of it ends the block.
func fenced(language, text string) string {
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	return fence + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}

// bare is a diff that shows as it is: no hidden marker of ours, nothing that changes
// how the rest of it looks.
func bare(diff string) string {
	diff = strings.ReplaceAll(strings.ToValidUTF8(diff, "\ufffd"), "\r\n", "\n")
	diff = strings.ReplaceAll(diff, "<!-- stagecoach", "<"+gap+"!-- stagecoach")
	return visible(diff)
}

// visible shows what a reader cannot see, or would see elsewhere, as a sign of its own.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return '\ufffd'
		}
		return r
	}, text)
}

// cutLines keeps the whole lines of text that take at most limit bytes, and says
// how many are left out. What is kept ends with a line break.
func cutLines(text string, limit int) (kept string, cut int) {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if len(text) <= limit {
		return text, 0
	}
	end := strings.LastIndexByte(text[:limit], '\n') + 1
	return text[:end], strings.Count(text[end:], "\n")
}

// longestRun is the length of the longest run of c in text.
func longestRun(text string, c rune) (longest int) {
	run := 0
	for _, r := range text {
		if run++; r != c {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

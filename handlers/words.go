package handlers

import (
	"strings"
	"unicode"
)

// closers are the quotes that may begin a word and what ends each. Phones write
// the round ones by themselves.
var closers = map[rune]rune{'"': '"', '\'': '\'', '“': '”', '‘': '’'}

// splitWords splits what follows a command's name into words, much as a shell
// does: spaces part them, quotes hold them together, a backslash takes the sign
// after it as it is (inside single quotes it is one itself). Unlike in a shell, a
// quote counts only at the start of a word or after an equals sign, and only if
// it is closed, because people write reasons: in "it's broken" it is an apostrophe.
func splitWords(text string) []string {
	var words []string
	s := &splitter{rest: []rune(trimBreak(text)), unclosed: map[rune]bool{}}
	for s.skipSpace() {
		words = append(words, s.word())
	}
	return words
}

// trimBreak takes off the backslash that is Markdown's line break.
func trimBreak(text string) string {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	slashes := len(text) - len(strings.TrimRight(text, `\`))
	return text[:len(text)-slashes%2]
}

type splitter struct {
	rest     []rune
	unclosed map[rune]bool // quotes that nothing closes any more, so that none is looked for twice
}

// skipSpace moves to the next word and reports whether there is one.
func (s *splitter) skipSpace() bool {
	for len(s.rest) > 0 && unicode.IsSpace(s.rest[0]) {
		s.rest = s.rest[1:]
	}
	return len(s.rest) > 0
}

func (s *splitter) word() string {
	var out []rune
	mayQuote := true
	for len(s.rest) > 0 && !unicode.IsSpace(s.rest[0]) {
		if mayQuote {
			if inner, ok := s.quoted(); ok {
				out, mayQuote = append(out, inner...), false
				continue
			}
		}
		if s.escape() {
			s.rest = s.rest[1:]
		}
		mayQuote = s.rest[0] == '='
		out = append(out, s.rest[0])
		s.rest = s.rest[1:]
	}
	return string(out)
}

// escape reports whether a backslash comes next that stands for the sign after it.
func (s *splitter) escape() bool {
	if len(s.rest) < 2 || s.rest[0] != '\\' {
		return false
	}
	next := s.rest[1]
	return next == ' ' || unicode.IsPunct(next) || unicode.IsSymbol(next)
}

// quoted takes the quoted part that starts here, if one does and is closed.
func (s *splitter) quoted() (inner []rune, ok bool) {
	closer := closers[s.rest[0]]
	if closer == 0 || s.unclosed[closer] {
		return nil, false
	}
	for i := 1; i < len(s.rest); i++ {
		c := s.rest[i]
		if c == closer {
			s.rest = s.rest[i+1:]
			return inner, true
		}
		if c == '\\' && closer == '"' && i+1 < len(s.rest) && (s.rest[i+1] == '"' || s.rest[i+1] == '\\') {
			i++
		}
		inner = append(inner, s.rest[i])
	}
	s.unclosed[closer] = true
	return nil, false
}

package helm

import (
	"strings"

	chart "helm.sh/helm/v4/pkg/chart/v2"
)

// The calls that are put into templates. The functions are in functions.go.
const (
	guardFunction = "stagecoachGuard"
	guardCall     = "{{" + guardFunction + " .}}"
	guardTrims    = "{{" + guardFunction + " . -}}"
	guardedSource = "stagecoachTemplate"
)

// instrumentChart puts the calls into all templates of a chart that is rendered once.
func instrumentChart(c *chart.Chart) {
	for _, f := range c.Templates {
		f.Data = []byte(instrument(string(f.Data)))
	}
	for _, sub := range c.Dependencies() {
		instrumentChart(sub)
	}
}

// instrument puts a guard at the head of a template and of each body that may run
// again: of range, define and block; and has what tpl is given instrumented too.
// Lines stay what they are. Text that is no template stays wrong in the same way.
func instrument(source string) string {
	var out strings.Builder
	out.Grow(len(source) + 4*len(guardTrims)) // a few bodies; more cost another copy
	out.WriteString(guardCall)
	for {
		start := strings.Index(source, "{{")
		if start < 0 {
			break
		}
		end, comment := actionEnd(source, start)
		if end < 0 {
			break
		}
		action := source[start:end]
		out.WriteString(source[:start])
		if comment {
			out.WriteString(action)
		} else {
			out.WriteString(guardTpl(action))
			switch keyword(action) {
			case "range", "define", "block":
				out.WriteString(guardBehind(action))
			}
		}
		source = source[end:]
	}
	out.WriteString(source)
	return out.String()
}

// guardBehind is a guard that trims what follows it if the action before it does.
func guardBehind(action string) string {
	if strings.HasSuffix(action, "-}}") {
		return guardTrims
	}
	return guardCall
}

// actionEnd returns where the action at start ends, its braces included, and
// whether it is a comment; -1 when it has no end.
func actionEnd(source string, start int) (end int, comment bool) {
	at := start + 2
	body := source[at:]
	if trimmed, ok := strings.CutPrefix(body, "- "); ok {
		body = trimmed
	}
	if strings.HasPrefix(body, "/*") {
		if i := strings.Index(source[at:], "*/"); i >= 0 {
			if j := strings.Index(source[at+i:], "}}"); j >= 0 {
				return at + i + j + 2, true
			}
		}
		return -1, true
	}
	for at < len(source) {
		switch source[at] {
		case '}':
			if strings.HasPrefix(source[at:], "}}") {
				return at + 2, false
			}
			at++
		case '"', '\'', '`':
			n := quoted(source[at:])
			if n < 0 {
				return -1, false
			}
			at += n
		default:
			at++
		}
	}
	return -1, false
}

// quoted returns the length of the quoted text at the head of s, -1 without an end.
func quoted(s string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && s[0] != '`':
			i++
		case s[i] == s[0]:
			return i + 1
		}
	}
	return -1
}

// keyword is the first word of an action.
func keyword(action string) string {
	inner := strings.TrimPrefix(strings.TrimPrefix(action, "{{"), "- ")
	inner = strings.TrimLeft(inner, " \t\r\n")
	return inner[:wordLength(inner)]
}

func wordLength(s string) int {
	n := 0
	for n < len(s) && isWord(s[n]) {
		n++
	}
	return n
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// guardTpl wraps the first argument of each tpl in an action.
func guardTpl(action string) string {
	if !strings.Contains(action, "tpl") {
		return action
	}
	var out strings.Builder
	for at := 0; at < len(action); {
		c := action[at]
		switch {
		case c == '"' || c == '\'' || c == '`':
			n := quoted(action[at:])
			out.WriteString(action[at : at+n])
			at += n
		case isWord(c) && (at == 0 || action[at-1] != '.' && action[at-1] != '$'):
			n := wordLength(action[at:])
			out.WriteString(action[at : at+n])
			isTpl := action[at:at+n] == "tpl"
			at += n
			if isTpl {
				at += wrapOperand(&out, action[at:])
			}
		default:
			out.WriteByte(c)
			at++
		}
	}
	return out.String()
}

// wrapOperand writes the operand at the head of rest, wrapped, and returns how
// much of rest that was; nothing if there is none.
func wrapOperand(out *strings.Builder, rest string) int {
	blank := len(rest) - len(strings.TrimLeft(rest, " \t\r\n"))
	n := operandLength(rest[blank:])
	if blank == 0 || n == 0 {
		return 0
	}
	out.WriteString(rest[:blank] + "(" + guardedSource + " " + guardTpl(rest[blank:blank+n]) + ")")
	return blank + n
}

// operandLength is the length of an operand: a name, field, variable, quoted text
// or parentheses, with the fields behind it.
func operandLength(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\'' || c == '`':
			n := quoted(s[i:])
			if n < 0 {
				return 0
			}
			i += n - 1
		case c == '(':
			depth++
		case c == ')':
			if depth == 0 {
				return i
			}
			depth--
		case depth == 0 && (strings.IndexByte(" \t\r\n|", c) >= 0 || strings.HasPrefix(s[i:], "}}")):
			return i
		}
	}
	return 0
}

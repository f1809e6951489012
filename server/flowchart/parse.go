package flowchart

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// maxLine bounds a line of a box, in characters.
const maxLine = 140

// reader builds a chart from its source.
type reader struct {
	nodes []*Node
	byID  map[string]*Node
	edges [][2]string
}

var (
	header    = regexp.MustCompile(`^(?:flowchart|graph)[ \t]+LR[ \t]*;?$`)
	nodeStart = regexp.MustCompile(`^([A-Za-z0-9_]+)(?:\(\["([^"]*)"\]\)|\(\[([^"\[\](){}|<>]*)\]\)|\["([^"]*)"\]|\[([^"\[\](){}|<>]*)\])?`)
	arrow     = regexp.MustCompile(`^[ \t]*-->[ \t]*`)
	lineBreak = regexp.MustCompile(`(?i)<br[ \t]*/?>`)
	entity    = regexp.MustCompile(`#([0-9]{1,7}|[A-Za-z]{2,31});`)
)

func parse(source string) (Chart, error) {
	c := &reader{byID: map[string]*Node{}}
	begun := false
	for n, line := range strings.Split(source, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "%%") && !strings.HasPrefix(line, "%%{"):
			continue
		case !begun:
			if !header.MatchString(line) {
				return Chart{}, fmt.Errorf("%w: line %d: %q does not begin a flowchart LR", ErrUnknown, n+1, line)
			}
			begun = true
		default:
			if err := c.statement(strings.TrimSuffix(line, ";")); err != nil {
				return Chart{}, fmt.Errorf("%w: line %d: %w", ErrUnknown, n+1, err)
			}
		}
	}
	return c.chart(), nil
}

func (c *reader) chart() Chart {
	out := Chart{Edges: c.edges}
	for _, n := range c.nodes {
		out.Nodes = append(out.Nodes, *n)
	}
	return out
}

// statement reads one line: a node, or several with arrows between them.
func (c *reader) statement(line string) error {
	last := ""
	for {
		m := nodeStart.FindStringSubmatch(line)
		if m == nil {
			return fmt.Errorf("%q is no node", line)
		}
		c.add(m, strings.Contains(m[0], "(["))
		if last != "" {
			c.connect(last, m[1])
		}
		last, line = m[1], strings.TrimSpace(line[len(m[0]):])
		if line == "" {
			return nil
		}
		to := arrow.FindString(line)
		if to == "" {
			return fmt.Errorf("%q is no arrow", line)
		}
		line = line[len(to):]
	}
}

func (c *reader) add(m []string, rounded bool) {
	n := c.byID[m[1]]
	if n == nil {
		n = &Node{ID: m[1], Lines: []string{m[1]}}
		c.nodes, c.byID[m[1]] = append(c.nodes, n), n
	}
	if m[0] != m[1] {
		n.Lines, n.Rounded = lines(m[2]+m[3]+m[4]+m[5]), rounded
	}
}

func (c *reader) connect(from, to string) {
	for _, e := range c.edges {
		if e == [2]string{from, to} {
			return
		}
	}
	c.edges = append(c.edges, [2]string{from, to})
}

// lines splits a label at its breaks, and decodes the entity codes:
// https://mermaid.js.org/syntax/flowchart.html#entity-codes-to-escape-characters
func lines(label string) []string {
	var out []string
	for _, line := range lineBreak.Split(label, -1) {
		out = append(out, clean(entity.ReplaceAllStringFunc(line, decode)))
	}
	return out
}

// clean is a line as it can be drawn.
func clean(line string) string {
	line = strings.TrimSpace(strings.Map(visible, line))
	if runes := []rune(line); len(runes) > maxLine {
		return string(runes[:maxLine-1]) + "…"
	}
	return line
}

// visible drops what neither a reader nor an SVG parser can take.
func visible(r rune) rune {
	if unicode.IsControl(r) || r == 0xfffe || r == 0xffff {
		return -1
	}
	return r
}

func decode(code string) string {
	name := strings.Trim(code, "#;")
	if n, err := strconv.Atoi(name); err == nil {
		if n < ' ' || n > 0x10ffff {
			return "\ufffd"
		}
		return string(rune(n))
	}
	return html.UnescapeString("&" + name + ";")
}

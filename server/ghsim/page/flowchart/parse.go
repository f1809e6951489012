package flowchart

import (
	"errors"
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Bounds on what is drawn: beyond them a reader sees more in the source.
const (
	maxNodes, maxEdges = 200, 600
	maxLine            = 140 // characters
)

// ErrUnknown says that a source is outside the subset.
var ErrUnknown = errors.New("not a flowchart of the known subset")

type node struct {
	id      string
	lines   []string
	rounded bool
}

type chart struct {
	nodes []*node
	byID  map[string]*node
	edges [][2]string // from, to, each once
}

var (
	header    = regexp.MustCompile(`^(?:flowchart|graph)[ \t]+LR[ \t]*;?$`)
	nodeStart = regexp.MustCompile(`^([A-Za-z0-9_]+)(?:\(\["([^"]*)"\]\)|\(\[([^"\[\](){}|<>]*)\]\)|\["([^"]*)"\]|\[([^"\[\](){}|<>]*)\])?`)
	arrow     = regexp.MustCompile(`^[ \t]*-->[ \t]*`)
	lineBreak = regexp.MustCompile(`(?i)<br[ \t]*/?>`)
	entity    = regexp.MustCompile(`#([0-9]{1,7}|[A-Za-z]{2,31});`)
)

func parse(source string) (*chart, error) {
	c := &chart{byID: map[string]*node{}}
	begun := false
	for n, line := range strings.Split(source, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "%%") && !strings.HasPrefix(line, "%%{"):
			continue
		case !begun:
			if !header.MatchString(line) {
				return nil, fmt.Errorf("%w: line %d: %q does not begin a flowchart LR", ErrUnknown, n+1, line)
			}
			begun = true
		default:
			if err := c.statement(strings.TrimSuffix(line, ";")); err != nil {
				return nil, fmt.Errorf("%w: line %d: %w", ErrUnknown, n+1, err)
			}
		}
	}
	if len(c.nodes) == 0 || len(c.nodes) > maxNodes || len(c.edges) > maxEdges {
		return nil, fmt.Errorf("%w: %d nodes and %d edges", ErrUnknown, len(c.nodes), len(c.edges))
	}
	return c, nil
}

// statement reads one line: a node, or several with arrows between them.
func (c *chart) statement(line string) error {
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

func (c *chart) add(m []string, rounded bool) {
	n := c.byID[m[1]]
	if n == nil {
		n = &node{id: m[1], lines: []string{m[1]}}
		c.nodes, c.byID[m[1]] = append(c.nodes, n), n
	}
	if m[0] != m[1] {
		n.lines, n.rounded = lines(m[2]+m[3]+m[4]+m[5]), rounded
	}
}

func (c *chart) connect(from, to string) {
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
		line = strings.TrimSpace(strings.Map(visible, entity.ReplaceAllStringFunc(line, decode)))
		if runes := []rune(line); len(runes) > maxLine {
			line = string(runes[:maxLine-1]) + "…"
		}
		out = append(out, line)
	}
	return out
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

package flowchart

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// SVG draws a flowchart. errors.Is(err, ErrUnknown) says that the source is outside the subset.
func SVG(source string) (string, error) {
	c, err := parse(source)
	if err != nil {
		return "", err
	}
	return c.SVG()
}

func (l *layout) draw(c *Chart) string {
	var out strings.Builder
	w, h := num(math.Ceil(l.width)), num(math.Ceil(l.height))
	fmt.Fprintf(&out, `<svg class="chart" xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img"`, w, h, w, h)
	if c.Title == "" {
		fmt.Fprintf(&out, ` aria-label="Flowchart: %s">`, html.EscapeString(describe(c)))
	} else {
		fmt.Fprintf(&out, "><title>%s</title><desc>%s</desc>", html.EscapeString(clean(c.Title)), html.EscapeString(describe(c)))
	}
	out.WriteString("\n")
	for _, path := range l.paths {
		drawEdge(&out, path)
	}
	for _, n := range c.Nodes {
		drawNode(&out, l.boxes[n.ID])
	}
	out.WriteString("</svg>")
	return out.String()
}

// describe says in words what the picture shows, for those who do not see it.
func describe(c *Chart) string {
	var parts []string
	first := map[string]string{}
	for _, n := range c.Nodes {
		first[n.ID] = n.Lines[0]
	}
	for _, n := range c.Nodes {
		text := strings.Join(n.Lines, " ")
		var to []string
		for _, e := range c.Edges {
			if e[0] == n.ID {
				to = append(to, first[e[1]])
			}
		}
		if len(to) > 0 {
			text += " → " + strings.Join(to, ", ")
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// drawEdge is a curve from the right side of a box to the left side of the next, and a tip where the arrow ends.
func drawEdge(out *strings.Builder, path []*box) {
	const head = 7.0
	var d strings.Builder
	for i := 1; i < len(path); i++ {
		from, to := path[i-1], path[i]
		x1, y1, x2, y2 := from.x+from.w, from.middle(), to.x, to.middle()
		if to.node != nil {
			x2 -= head
		}
		if i == 1 {
			fmt.Fprintf(&d, "M%s %s", num(x1), num(y1))
		} else {
			fmt.Fprintf(&d, " L%s %s", num(x1), num(y1))
		}
		bend := (x2 - x1) / 2
		fmt.Fprintf(&d, " C%s %s %s %s %s %s", num(x1+bend), num(y1), num(x2-bend), num(y2), num(x2), num(y2))
	}
	last := path[len(path)-1]
	x, y := last.x, last.middle()
	fmt.Fprintf(out, `<path class="edge" d="%s"/><path class="tip" d="M%s %s L%s %s L%s %sZ"/>`+"\n",
		d.String(), num(x-head-1), num(y-4.5), num(x), num(y), num(x-head-1), num(y+4.5))
}

func drawNode(out *strings.Builder, b *box) {
	radius := 5.0
	if b.node.Rounded {
		radius = b.h / 2
	}
	class := "node"
	if b.node.Class != "" {
		class += " " + b.node.Class
	}
	fmt.Fprintf(out, `<g class="%s"><rect x="%s" y="%s" width="%s" height="%s" rx="%s"/>`, html.EscapeString(class), num(b.x), num(b.y), num(b.w), num(b.h), num(radius))
	for i, line := range b.node.Lines {
		y := b.y + padY + float64(i)*lineHeight + 14
		class := ""
		if i > 0 {
			class = ` class="more"`
		}
		fmt.Fprintf(out, `<text%s x="%s" y="%s" text-anchor="middle">%s</text>`, class, num(b.x+b.w/2), num(y), html.EscapeString(line))
	}
	out.WriteString("</g>\n")
}

// num prints a length with at most one decimal.
func num(v float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0")
}

package flowchart

import (
	"cmp"
	"fmt"
	"slices"
)

// Distances in pixels.
const (
	margin      = 8.0
	layerGap    = 48.0 // between columns
	rowGap      = 22.0 // between boxes of a column
	lineHeight  = 19.0
	padX, padY  = 16.0, 11.0
	minWidth    = 56.0
	sweeps      = 8 // over the layers, to untangle the arrows
	passThrough = 6.0
)

// box is a node, or the place where a long arrow passes through a column it does not end in; then node is nil.
type box struct {
	node       *Node
	layer      int
	x, y, w, h float64 // of the upper left corner, and the size
	before     []*box
	after      []*box
}

func (b *box) middle() float64 { return b.y + b.h/2 }

type layout struct {
	layers [][]*box
	boxes  map[string]*box
	// paths are the arrows in the order of the source, each from box to box through all columns between.
	paths         [][]*box
	width, height float64
}

// arrange puts every node right of all that lead to it. It fails when there is a circle.
func arrange(c *Chart) (*layout, error) {
	l := &layout{boxes: map[string]*box{}}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		l.boxes[n.ID] = &box{node: n, w: widthOf(n), h: float64(len(n.Lines))*lineHeight + 2*padY}
	}
	if err := l.assignLayers(c); err != nil {
		return nil, err
	}
	l.route(c)
	l.untangle()
	l.place()
	return l, nil
}

// assignLayers gives each node the length of the longest way to it.
func (l *layout) assignLayers(c *Chart) error {
	for round := 0; ; round++ {
		moved := false
		for _, e := range c.Edges {
			from, to := l.boxes[e[0]], l.boxes[e[1]]
			if to.layer <= from.layer {
				to.layer, moved = from.layer+1, true
			}
		}
		if !moved {
			break
		}
		if round > len(c.Nodes) {
			return fmt.Errorf("%w: its arrows go round in a circle", ErrUnknown)
		}
	}
	for _, n := range c.Nodes {
		l.put(l.boxes[n.ID])
	}
	return nil
}

func (l *layout) put(b *box) {
	for len(l.layers) <= b.layer {
		l.layers = append(l.layers, nil)
	}
	l.layers[b.layer] = append(l.layers[b.layer], b)
}

// route leads every arrow through the columns between its ends.
func (l *layout) route(c *Chart) {
	for _, e := range c.Edges {
		at, to := l.boxes[e[0]], l.boxes[e[1]]
		path := []*box{at}
		for at.layer+1 < to.layer {
			next := &box{layer: at.layer + 1, h: passThrough}
			l.put(next)
			at = link(at, next)
			path = append(path, at)
		}
		l.paths = append(l.paths, append(path, link(at, to)))
	}
}

func link(from, to *box) *box {
	from.after, to.before = append(from.after, to), append(to.before, from)
	return to
}

// untangle orders each column by the middle of its neighbours, forth and back.
func (l *layout) untangle() {
	for _, layer := range l.layers {
		for i, b := range layer {
			b.y = float64(i)
		}
	}
	for range sweeps {
		for _, layer := range l.layers {
			order(layer, func(b *box) []*box { return b.before })
		}
		for _, layer := range slices.Backward(l.layers) {
			order(layer, func(b *box) []*box { return b.after })
		}
	}
}

func order(layer []*box, neighbours func(*box) []*box) {
	rank := map[*box]float64{}
	for _, b := range layer {
		rank[b] = average(neighbours(b), func(n *box) float64 { return n.y }, b.y)
	}
	slices.SortStableFunc(layer, func(a, b *box) int { return cmp.Compare(rank[a], rank[b]) })
	for i, b := range layer {
		b.y = float64(i)
	}
}

func average(of []*box, value func(*box) float64, otherwise float64) float64 {
	if len(of) == 0 {
		return otherwise
	}
	sum := 0.0
	for _, b := range of {
		sum += value(b)
	}
	return sum / float64(len(of))
}

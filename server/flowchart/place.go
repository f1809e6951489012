package flowchart

import "math"

// place gives every box its pixels: columns from left to right, each centred on the tallest one.
func (l *layout) place() {
	heights := make([]float64, len(l.layers))
	tallest := 0.0
	for i, layer := range l.layers {
		heights[i] = heightOf(layer)
		tallest = math.Max(tallest, heights[i])
	}
	x := margin
	for i, layer := range l.layers {
		widest := 0.0
		for _, b := range layer {
			widest = math.Max(widest, b.w)
		}
		y := margin + (tallest-heights[i])/2
		for _, b := range layer {
			b.x, b.y = x+(widest-b.w)/2, y
			y += b.h + rowGap
			if b.node == nil {
				b.x, b.w = x, widest // an arrow passes the whole column straight
			}
		}
		x += widest + layerGap
	}
	l.width, l.height = x-layerGap+margin, tallest+2*margin
}

func heightOf(layer []*box) float64 {
	sum := -rowGap
	for _, b := range layer {
		sum += b.h + rowGap
	}
	return sum
}

func widthOf(n *Node) float64 {
	widest := minWidth - 2*padX
	for _, line := range n.Lines {
		widest = math.Max(widest, textWidth(line))
	}
	if n.Rounded {
		widest += padY
	}
	return math.Ceil(widest + 2*padX)
}

// textWidth estimates the width at 14 px in the usual sans-serif fonts; rather too much than too little.
func textWidth(text string) float64 {
	width := 0.0
	for _, r := range text {
		width += runeWidth(r)
	}
	return width
}

func runeWidth(r rune) float64 {
	switch {
	case r == 0xfe0f || r == 0x200b || r == 0x200d: // shape the character before, or nothing
		return 0
	case r >= 0x1100 && r <= 0x115f || r >= 0x2600 && r <= 0x27bf || r >= 0x2e80 && r <= 0xd7ff || r >= 0xf900 && r <= 0xfaff ||
		r >= 0xff00 && r <= 0xff60 || r >= 0x1f000 || r >= 0x23e0 && r <= 0x23ff:
		return 18
	case r == 'i' || r == 'l' || r == 'j' || r == '.' || r == ',' || r == ':' || r == '\'' || r == '|' || r == 'I' || r == '!':
		return 4.6
	case r == 'm' || r == 'w' || r == 'M' || r == 'W' || r == '@':
		return 12.5
	case r >= 'A' && r <= 'Z':
		return 10
	case r == ' ' || r == 't' || r == 'f' || r == 'r' || r == '-' || r == '/' || r == '(' || r == ')':
		return 5.6
	}
	return 8.2
}

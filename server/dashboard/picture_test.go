package dashboard_test

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"slices"
	"testing"
)

// smaller is a picture cut to a height, with the 256 colours that it has most of: a
// third of the bytes, and hardly to be told from it.
func smaller(t *testing.T, raw []byte, height int) []byte {
	t.Helper()
	full, err := png.Decode(bytes.NewReader(raw))
	must(t, err)
	area := full.Bounds()
	area.Max.Y = min(area.Max.Y, height)
	counts := map[color.Color]int{}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			counts[full.At(x, y)]++
		}
	}
	often := slices.SortedFunc(maps.Keys(counts), func(a, b color.Color) int { return cmp.Compare(counts[b], counts[a]) })
	reduced := image.NewPaletted(area, color.Palette(often[:min(256, len(often))]))
	draw.Draw(reduced, area, full, area.Min, draw.Src)
	var out bytes.Buffer
	must(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, reduced))
	return out.Bytes()
}

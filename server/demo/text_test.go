package demo

import (
	"testing"
)

func TestWidth(t *testing.T) {
	for text, want := range map[string]int{"": 0, "landed": 6, "✅ landed": 9, "⏭️ x": 4, "🚀": 2, "web → dev…": 10} {
		if got := width(text); got != want {
			t.Errorf("width(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestClip(t *testing.T) {
	tests := []struct {
		text string
		n    int
		want string
	}{
		{"short", 5, "short"}, {"longer", 5, "long…"}, {"✅✅✅", 6, "✅✅✅"}, {"✅✅✅", 5, "✅✅…"}, {"✅✅✅", 4, "✅…"}, {"ab", 1, "…"},
	}
	for _, test := range tests {
		if got := clip(test.text, test.n); got != test.want || width(got) > test.n {
			t.Errorf("clip(%q, %d) = %q, want %q", test.text, test.n, got, test.want)
		}
	}
}

// Texts of other people cannot move the cursor, colour what follows or reorder it.
func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"a\x1b[2Jb": "a [2Jb", "a\r\nb": "a b", "a\u202eb": "a b", "a\u009bb": "a b", "  Ünïcode ✅ ": "Ünïcode ✅",
	} {
		if got := plain(text); got != want {
			t.Errorf("plain(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestPaint(t *testing.T) {
	if got := paint(false, good, "x"); got != "x" {
		t.Errorf("without colours: %q", got)
	}
	if got := paint(true, good, "x"); got != "\x1b[32mx\x1b[0m" {
		t.Errorf("with colours: %q", got)
	}
	if got := paint(true, "", "x"); got != "x" {
		t.Errorf("without a style: %q", got)
	}
}

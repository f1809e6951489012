package yamledit

import (
	"strings"
	"testing"
)

// The self-check sees whatever a reader may see, and not how it is written.
func TestDifference(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"a: b\n", "a: 'b' # c\n", true},
		{"a: [b]\n", "a:\n- \"b\"\n", true},
		{"a: 1\n", "a: \"1\"\n", false},
		{"a: yes\n", "a: true\n", false},
		{"a: !x b\n", "a: !y b\n", false},
		{"a: &x b\n", "a: &y b\n", false},
		{"a: &x b\n", "a: b\n", false},
		{"a: &x b\nc: *x\n", "a: &x b\nc: b\n", false},
		{"a: []\n", "a: {}\n", false},
		{"a: [b]\n", "a: [b, c]\n", false},
		{"a: [b, c]\n", "a: [c, b]\n", false},
		{"a: b\n", "A: b\n", false},
	} {
		a, err := parse([]byte(tt.a))
		if err != nil {
			t.Fatal(err)
		}
		b, err := parse([]byte(tt.b))
		if err != nil {
			t.Fatal(err)
		}
		if at := difference(a[0], b[0]); (at == nil) != tt.same {
			t.Errorf("%q and %q: %+v", tt.a, tt.b, at)
		}
	}
}

// A document is chosen by what it says of itself, or by its place.
func TestOnly(t *testing.T) {
	const text = "kind: A\nmetadata: {name: x, namespace: n}\nv: 1\n---\nkind: A\nmetadata: {name: y}\nv: 1\n---\nkind: B\nmetadata: {name: x}\nv: 1\n"
	index := func(i int) Document { return Document{Index: &i} }
	for _, tt := range []struct {
		d    Document
		doc  int // that is changed; -1: none is
		want string
	}{
		{index(0), 0, ""}, {index(2), 2, ""}, {index(-1), -1, "there is no document -1"}, {index(3), -1, "there is no document 3"},
		{Document{Kind: "B"}, 2, ""}, {Document{Kind: "A", Name: "y"}, 1, ""}, {Document{Name: "y"}, 1, ""}, {Document{Name: "x", Namespace: "n"}, 0, ""},
		{Document{Kind: "A"}, -1, "2 documents are"}, {Document{Name: "x"}, -1, "2 documents are"}, {Document{Kind: "C"}, -1, "no document is"},
		{Document{Kind: "B", Name: "y"}, -1, "no document is"}, {Document{}, 0, ""},
	} {
		f, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		switch err := f.Only(tt.d); {
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: %v", tt.d, err)
			continue
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.d, err)
			continue
		case err != nil:
			continue
		}
		if err := f.Set(Path{"v"}, String("2")); err != nil {
			t.Error(err)
		}
		for i, doc := range strings.Split(string(f.Bytes()), "---\n") {
			if strings.Contains(doc, `"2"`) != (i == tt.doc) {
				t.Errorf("%s: document %d is\n%s", tt.d, i, doc)
			}
		}
	}
}

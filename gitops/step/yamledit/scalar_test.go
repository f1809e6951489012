package yamledit_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

// What some reader of YAML 1.1 or 1.2 takes for something else gets quotes; what
// no reader does gets none.
func TestQuotesWhereNeeded(t *testing.T) {
	quoted := []string{
		"", "1", "1.10", "-1", "+1", "0123", "08", "0x1f", "0o17", "0b11", "1_000", "1,000", "1.", ".5", "1e3", "12345e7", "1.5e-3",
		".inf", "-.INF", ".NaN", "12:30", "12:30:45.5", "2024-01-02", "2024-1-2t10:00:00Z", "2024-01-02 10:00:00",
		"y", "Y", "n", "yes", "No", "on", "OFF", "true", "False", "null", "~", "NULL", "=", "<<",
		"- a", "-", "?", "a: b", "a:", "a #b", "#a", "&a", "*a", "!a", "|", ">", "'a'", `"a"`, "%a", "@a", "`a", "{a}", "[a]",
		" a", "a ", "a\nb", "a\tb", "\x7f", "\u0085", "\u2028", "\ufeff", "...", "---", "{{ .Values.a }}", ",a",
	}
	plain := []string{
		"a", "v1.10", "1.2.3", "v1", "sha256:abc", "a/b:c", "https://a.b/c?d=e#f", "web", "yess", "nul", "2024-01-02-rc1", "1.2.3-4", "12:99",
		"0xyz", "é", "日本", "🙂", "a'b", `a"b`, "a,b", "a[0]", "a{b}", "it is", "1 2", "a-b", "_", "1a", "e1",
	}
	for _, s := range quoted {
		if got := yamledit.Text(yamledit.String(s)); !strings.HasPrefix(got, `"`) {
			t.Errorf("%q is written %s, without quotes", s, got)
		}
	}
	for _, s := range plain {
		if got := yamledit.Text(yamledit.String(s)); got != s {
			t.Errorf("%q is written %s", s, got)
		}
	}
}

func TestFromJSON(t *testing.T) {
	for in, want := range map[string]struct{ tag, text string }{
		`"a"`:                  {"!!str", "a"},
		`"1.10"`:               {"!!str", `"1.10"`},
		`"\u00e9\ud83d\ude42"`: {"!!str", "é🙂"},
		`30000000`:             {"!!int", "30000000"},
		`9223372036854775807`:  {"!!int", "9223372036854775807"},
		`-5`:                   {"!!int", "-5"},
		`123.5`:                {"!!float", "123.5"},
		`3.0`:                  {"!!float", "3.0"},
		`1e21`:                 {"!!float", "1.0e+21"},
		`1.5E-7`:               {"!!float", "1.5e-7"},
		`true`:                 {"!!bool", "true"},
		`false`:                {"!!bool", "false"},
		` null `:               {"!!null", "null"},
	} {
		n, err := yamledit.FromJSON([]byte(in))
		if err != nil || n.Tag != want.tag || yamledit.Text(n) != want.text {
			t.Errorf("%s: got %+v, %v, want %v", in, n, err, want)
		}
	}
	for _, in := range []string{`{"a":1}`, `[1]`, ``, `yes`, `"`, `1 2`} {
		if n, err := yamledit.FromJSON([]byte(in)); err == nil {
			t.Errorf("%q: got %+v, want an error", in, n)
		}
	}
}

func TestParseKey(t *testing.T) {
	for key, want := range map[string]string{
		"foo.bar.baz": "foo|bar|baz", `foo\.bar.bat\.baz`: "foo.bar|bat.baz", `foo.bar\:bat`: "foo|bar:bat",
		"foo.:2.baz": "foo|2|baz", `a\\b`: `a\b`, "a:b.c": "a:b|c", "a.0": "a|0",
	} {
		p, err := yamledit.ParseKey(key)
		if err != nil || strings.Join(p, "|") != want {
			t.Errorf("%q: got %q, %v, want %s", key, p, err, want)
		}
		if again, err := yamledit.ParseKey(p.String()); err != nil || strings.Join(again, "|") != want {
			t.Errorf("%q is written %q, which is read %q, %v", key, p, again, err)
		}
	}
	for _, key := range []string{"", ".a", "a.", "a..b", `a\nb`, `a\`, ":"} {
		if p, err := yamledit.ParseKey(key); err == nil {
			t.Errorf("%q: got %q, want an error", key, p)
		}
	}
}

// FuzzText: whatever the string, it is read back as that string, in a block, a
// flow and each kind of quotes.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "1.10", "a: b", "it's", "l1\nl2", "\u2028", "a\\", " x ", "é", "yes", "\x01", "0?"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want := strings.ToValidUTF8(s, "\ufffd")
		for _, place := range []string{"a: x\n", "a: 'x'\n", "a: \"x\"\n", "{a: x, b: 1}\n", "a: |\n  x\nb: 1\n", "- a: >-\n   x\n   y\n"} {
			file, err := yamledit.Parse([]byte(place))
			if err != nil {
				t.Fatal(err)
			}
			p := yamledit.Path{"a"}
			if place[0] == '-' {
				p = yamledit.Path{"0", "a"}
			}
			if err := file.Set(p, yamledit.String(want)); err != nil {
				t.Fatalf("%q in %q: %v", want, place, err)
			}
			var n yaml.Node
			if err := yaml.Unmarshal(file.Bytes(), &n); err != nil {
				t.Fatalf("%q in %q gave %q: %v", want, place, file.Bytes(), err)
			}
			if got, err := file.Find(p); err != nil || got.Value != want || got.ShortTag() != "!!str" {
				t.Fatalf("%q in %q gave %q", want, place, file.Bytes())
			}
		}
	})
}

// FuzzEdit: no text and no key makes an edit panic, change the text together
// with an error, or leave another value than the one given.
func FuzzEdit(f *testing.F) {
	for _, s := range []string{
		"a: x # c\n", "a: &x 1\nb: *x\n", "a: [1, {b: c}]\n", "a: |\n  x\nb: >-\n y\n", "? a\n: b\n", "a:\n- b: 1\n  c: 2\n-\n", "",
		"---\na: 1\n---\nb: 'x'\n...\n", "\ufeffa: \"x\\\"\"\r\n", "a: !!str 1\n", "a: one\n  two\n", "{a, b: , c: {}}\n", "a: &b\n", "- - x\n  -\n", "<<: {a: 1}\n",
	} {
		f.Add(s, "a", "w", byte(0))
		f.Add(s, "a.0.b", "1.10", byte(1))
		f.Add(s, "b", "null", byte(2))
		f.Add(s, "a", "z", byte(3))
	}
	f.Fuzz(func(t *testing.T, text, key, value string, kind byte) {
		p, err := yamledit.ParseKey(key)
		if err != nil {
			return
		}
		file, err := yamledit.Parse([]byte(text))
		if err != nil {
			return
		}
		v := yamledit.String(strings.ToValidUTF8(value, "?"))
		switch kind % 4 {
		case 0:
			err = file.Set(p, v)
		case 1:
			err = file.Add(p, v)
		case 2:
			err = file.Remove(p)
		case 3:
			err = file.Rename(p, v.Value)
			p = append(p[:len(p)-1:len(p)-1], v.Value)
		}
		if err != nil {
			if string(file.Bytes()) != text {
				t.Fatalf("%v, and %q became %q", err, text, file.Bytes())
			}
			return
		}
		if changed := differing(t, text, string(file.Bytes())); kind%4 == 0 && (changed > 1 || changed < 0) {
			t.Fatalf("%q became %q: %d values differ", text, file.Bytes(), changed)
		}
		n, err := file.Find(p)
		if kind%4 < 2 && (err != nil || n.Value != v.Value || n.ShortTag() != "!!str") {
			t.Fatalf("%q became %q, which holds %+v, %v", text, file.Bytes(), n, err)
		}
		if kind%4 == 3 && err != nil {
			t.Fatalf("%q became %q, which has no %s: %v", text, file.Bytes(), p, err)
		}
	})
}

// differing parses both texts and counts the nodes that are not the same; -1
// when there are more or fewer.
func differing(t *testing.T, old, new string) int {
	t.Helper()
	a, b := flat(t, old), flat(t, new)
	if len(a) != len(b) {
		return -1
	}
	n := 0
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

func flat(t *testing.T, text string) (nodes []string) {
	t.Helper()
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		tag := n.Tag // of an alias: none, as what it stands for may change
		nodes = append(nodes, strings.Join([]string{tag, n.Value, n.Anchor}, "|"))
		for _, c := range n.Content {
			walk(c)
		}
	}
	for d := yaml.NewDecoder(strings.NewReader(text)); ; {
		var n yaml.Node
		if err := d.Decode(&n); errors.Is(err, io.EOF) {
			return nodes
		} else if err != nil {
			t.Fatalf("%q is no YAML any more: %v", text, err)
		}
		walk(&n)
	}
}

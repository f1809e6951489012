package yamledit_test

import (
	"errors"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

// edit parses text, gives it to change, and returns the outcome.
func edit(t *testing.T, text string, change func(*yamledit.File) error) (string, error) {
	t.Helper()
	f, err := yamledit.Parse([]byte(text))
	if err != nil {
		return text, err
	}
	err = change(f)
	if err != nil && string(f.Bytes()) != text {
		t.Errorf("an edit with the error %q changed the text:\n%s", err, f.Bytes())
	}
	return string(f.Bytes()), err
}

func path(t *testing.T, key string) yamledit.Path {
	t.Helper()
	p, err := yamledit.ParseKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func value(t *testing.T, json string) *yaml.Node {
	t.Helper()
	v, err := yamledit.FromJSON([]byte(json))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestSet(t *testing.T) {
	for name, tt := range map[string]struct{ in, key, value, want string }{
		"plain":                     {"a: x\n", "a", `"w"`, "a: w\n"},
		"comment behind":            {"a: x  # why\nb: 1\n", "a", `"w"`, "a: w  # why\nb: 1\n"},
		"tab before comment":        {"a: x\t# why\n", "a", `"w"`, "a: w\t# why\n"},
		"double quotes stay":        {`a: "x"` + "\n", "a", `"w"`, `a: "w"` + "\n"},
		"single quotes stay":        {"a: 'x'\n", "a", `"it's"`, "a: 'it''s'\n"},
		"quotes with quotes inside": {`a: "x \" # y" # c` + "\n", "a", `"z\"\\"`, `a: "z\"\\" # c` + "\n"},
		"single cannot hold a tab":  {"a: 'x'\n", "a", `"a\tb"`, "a: \"a\\tb\"\n"},
		"quoted string to integer":  {`a: "5"` + "\n", "a", `5`, "a: 5\n"},
		"integer to string":         {"a: 5\n", "a", `"5"`, "a: \"5\"\n"},
		"the same stays":            {"a: 'x' # c\n", "a", `"x"`, "a: 'x' # c\n"},
		"tilde is null already":     {"a: ~\n", "a", `null`, "a: ~\n"},
		"plain yes gets quotes":     {"a: wes\n", "a", `"yes"`, "a: \"yes\"\n"},
		"large integer":             {"a: 1\n", "a", `18446744073709551615`, "a: 18446744073709551615\n"},
		"larger than 64 bits":       {"a: 1\n", "a", `340282366920938463463374607431768211456`, "a: 340282366920938463463374607431768211456\n"},
		"exponent":                  {"a: 1\n", "a", `1e9`, "a: 1.0e+9\n"},
		"empty value":               {"a:\nb: 1\n", "a", `"w"`, "a: w\nb: 1\n"},
		"empty value with comment":  {"a: # c\nb: 1\n", "a", `"w"`, "a: w # c\nb: 1\n"},
		"empty value at the end":    {"a:", "a", `1`, "a: 1"},
		"empty item":                {"a:\n-\n- b\n", "a.0", `"w"`, "a:\n- w\n- b\n"},
		"empty with anchor":         {"a: &x\nb: *x\n", "a", `"w"`, "a: &x w\nb: *x\n"},
		"empty in flow":             {"{a: , b: 1}\n", "a", `"w"`, "{a: w, b: 1}\n"},
		"anchor stays":              {"a: &x 1.0.0\nb: *x\n", "a", `"2.0.0"`, "a: &x 2.0.0\nb: *x\n"},
		"anchor on its own line":    {"a: &x\n  1.0.0\nb: *x\n", "a", `"2.0.0"`, "a: &x\n  2.0.0\nb: *x\n"},
		"tag stays":                 {"a: !!str 1.10\n", "a", `"1.11"`, "a: !!str \"1.11\"\n"},
		"flow mapping":              {"i: {r: x, t: y}\n", "i.r", `"z"`, "i: {r: z, t: y}\n"},
		"flow wants more quotes":    {"i: {r: x, t: y}\n", "i.r", `"a,b"`, "i: {r: \"a,b\", t: y}\n"},
		"flow list":                 {"a: [1, 2, 3]\n", "a.1", `9`, "a: [1, 9, 3]\n"},
		"json":                      {`{"a":{"b":"c"},"d":1}`, "a.b", `"e"`, `{"a":{"b":"e"},"d":1}`},
		"merge key beside":          {"b: &b {t: 1}\nc:\n  <<: *b\n  t: 2\n", "c.t", `3`, "b: &b {t: 1}\nc:\n  <<: *b\n  t: 3\n"},
		"crlf":                      {"a: 1\r\nb: 2\r\n", "b", `3`, "a: 1\r\nb: 3\r\n"},
		"byte order mark":           {"\ufeffa: 1\nb: 2\n", "a", `3`, "\ufeffa: 3\nb: 2\n"},
		"letters of many bytes":     {"ключ: знач # ö\nb: ü\n", "ключ", `"да"`, "ключ: да # ö\nb: ü\n"},
		"no last line end":          {"a: 1", "a", `2`, "a: 2"},
		"plain over lines":          {"a: one\n  two\n\n  three # c\nb: 1\n", "a", `"w"`, "a: w # c\nb: 1\n"},
		"quoted over lines":         {"a: \"one\n  two\" # c\nb: 1\n", "a", `"w"`, "a: \"w\" # c\nb: 1\n"},
		"literal to one line":       {"a: |  # c\n  one\n\n  two\n\nb: 1\n", "a", `"w"`, "a: w  # c\n\nb: 1\n"},
		"literal stays for lines":   {"a: |\n    one\nb: 1\n", "a", `"x\n\n y\nz\n"`, "a: |\n    x\n\n     y\n    z\nb: 1\n"},
		"folded to lines":           {"a: >-\n  one\n  two\nb: 1\n", "a", `"x\ny"`, "a: |-\n  x\n  y\nb: 1\n"},
		"literal at the end, crlf":  {"a: |\r\n  one\r\n", "a", `"x\ny\n"`, "a: |\r\n  x\r\n  y\r\n"},
		"literal with indicator":    {"a: |2-\n    one\n  two\nb: 1\n", "a", `"w"`, "a: w\nb: 1\n"},
		"literal in a list":         {"- |\n one\n- b\n", "0", `"w"`, "- w\n- b\n"},
		"empty literal":             {"a: |\n\nb: 1\n", "a", `"w"`, "a: w\n\nb: 1\n"},
		"lines become one":          {"a: x\n", "a", `"l1\nl2"`, "a: \"l1\\nl2\"\n"},
		"second document":           {"a: 1\n---\nb: 2\n...\n", "b", `3`, "a: 1\n---\nb: 3\n...\n"},
		"first of two documents":    {"a: 1\n---\na: 2\n", "a", `3`, "a: 3\n---\na: 2\n"},
		"escaped dot":               {"x:\n  a.b/c: 1\n", `x.a\.b/c`, `2`, "x:\n  a.b/c: 2\n"},
		"number as key":             {"x:\n  8080: a\n", "x.:8080", `"b"`, "x:\n  8080: b\n"},
		"list below its key":        {"x:\n- a: 1\n  b: 2\n- a: 3\n", "x.1.a", `4`, "x:\n- a: 1\n  b: 2\n- a: 4\n"},
		"quoted key":                {`"a": 1` + "\n", "a", `2`, `"a": 2` + "\n"},
		"explicit key":              {"? a\n: 1\n", "a", `2`, "? a\n: 2\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := edit(t, tt.in, func(f *yamledit.File) error { return f.Set(path(t, tt.key), value(t, tt.value)) })
			if err != nil || got != tt.want {
				t.Errorf("got %q, %v\nwant %q", got, err, tt.want)
			}
		})
	}
}

func TestSetRefuses(t *testing.T) {
	for name, tt := range map[string]struct{ in, key, value, want string }{
		"alias":             {"a: &x 1\nb: *x\n", "b", `2`, "alias *x"},
		"behind alias":      {"a: &x {t: 1}\nb: *x\n", "b.t", `2`, "alias *x"},
		"merged":            {"a: &x {t: 1}\nb:\n  <<: *x\n", "b.t", `2`, "merge key << at line 3"},
		"mapping":           {"a: {b: 1, c: 2}\n", "a", `2`, "its keys: b, c"},
		"list":              {"a: [1]\n", "a", `2`, "a list of 1"},
		"below a value":     {"a: 1\n", "a.b", `2`, `has no "b"`},
		"word for index":    {"a: [1]\n", "a.first", `2`, "write an index"},
		"index too large":   {"a: [1]\n", "a.1", `2`, "a has 1 items"},
		"misspelled":        {"image:\n  tag: 1\n", "image.tagg", `2`, "(nearest: image.tag)"},
		"wrong parent":      {"image:\n  tag: 1\n", "tag", `2`, "(nearest: image.tag)"},
		"nothing near":      {"image: 1\nname: x\n", "replicas", `2`, "the document has image, name"},
		"twice":             {"a: 1\nb: 2\na: 3\n", "a", `2`, "lines 1 and 3"},
		"through null":      {"a:\n", "a.b", `2`, "no such key a.b"},
		"tag does not fit":  {"a: !!int 5\n", "a", `"x"`, "tag !!int"},
		"foreign tag":       {"a: !vault x\n", "a", `"y"`, "tag !vault"},
		"flow without text": {"{a, b: 1}\n", "a", `"y"`, "given up"},
		"empty file":        {"", "a", `1`, "no such key a"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := edit(t, tt.in, func(f *yamledit.File) error { return f.Set(path(t, tt.key), value(t, tt.value)) })
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error that says %q", err, tt.want)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"binary":  {"a: \x00", "not UTF-8 text"},
		"latin 1": {"a: \xe9", "not UTF-8 text"},
		"utf-16":  {"\xff\xfea\x00", "UTF-16"},
		"tab":     {"a:\n\tb: 1\n", "not valid YAML"},
		"open":    {"a: [1", "not valid YAML"},
		"huge":    {strings.Repeat("a", yamledit.MaxSize+1), "not edited"},
	} {
		if _, err := yamledit.Parse([]byte(tt.in)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want an error that says %q", name, err, tt.want)
		}
	}
}

func TestAdd(t *testing.T) {
	for name, tt := range map[string]struct{ in, key, value, want string }{
		"there already":            {"a: 1\n", "a", `2`, "a: 2\n"},
		"at the root":              {"a: 1\n", "b", `2`, "a: 1\nb: 2\n"},
		"no last line end":         {"a: 1", "b", `2`, "a: 1\nb: 2"},
		"crlf":                     {"a: 1\r\n", "b.c", `2`, "a: 1\r\nb:\r\n  c: 2\r\n"},
		"nested":                   {"a:\n  b: 1 # c\nz: 1\n", "a.d", `"x"`, "a:\n  b: 1 # c\n  d: x\nz: 1\n"},
		"several levels":           {"a:\n    b: 1\n", "a.c.d.e", `"x"`, "a:\n    b: 1\n    c:\n        d:\n            e: x\n"},
		"behind a literal":         {"a:\n  b: |\n    text\n\nz: 1\n", "a.c", `1`, "a:\n  b: |\n    text\n  c: 1\n\nz: 1\n"},
		"behind a kept literal":    {"a:\n  b: |+\n    text\n\nz: 1\n", "a.c", `1`, "a:\n  b: |+\n    text\n\n  c: 1\nz: 1\n"},
		"behind a list":            {"a:\n- 1\n- 2\n", "b", `1`, "a:\n- 1\n- 2\nb: 1\n"},
		"behind an empty value":    {"a:\n  b:\nz: 1\n", "a.c", `1`, "a:\n  b:\n  c: 1\nz: 1\n"},
		"behind an alias":          {"x: &x 1\na:\n  b: *x\nz: 1\n", "a.c", `1`, "x: &x 1\na:\n  b: *x\n  c: 1\nz: 1\n"},
		"behind flow over lines":   {"a:\n  b: [\n    1, # c\n  ]\nz: 1\n", "a.c", `1`, "a:\n  b: [\n    1, # c\n  ]\n  c: 1\nz: 1\n"},
		"flow":                     {"a: { b: 1 }\n", "a.c", `2`, "a: { b: 1, c: 2 }\n"},
		"flow, several levels":     {"a: {b: 1}\n", "a.c.d", `2`, "a: {b: 1, c: {d: 2}}\n"},
		"empty flow":               {"a: {}\n", "a.c", `2`, "a: {c: 2}\n"},
		"empty flow with anchor":   {"a: &x {}\nb: *x\n", "a.c", `2`, "a: &x {c: 2}\nb: *x\n"},
		"below an empty value":     {"a: # c\nb: 1\n", "a.c.d", `2`, "a: # c\n  c:\n    d: 2\nb: 1\n"},
		"below a written null":     {"a: null\n", "a.c", `2`, "a: {c: 2}\n"},
		"below an empty item":      {"a:\n-\n", "a.0.c", `2`, "a:\n-\n  c: 2\n"},
		"in an item":               {"a:\n  - b: 1\n  - b: 2\n", "a.0.c", `3`, "a:\n  - b: 1\n    c: 3\n  - b: 2\n"},
		"another item":             {"a:\n  - 1\n  - 2 # c\nz: 1\n", "a.2", `3`, "a:\n  - 1\n  - 2 # c\n  - 3\nz: 1\n"},
		"another flow item":        {"a: [1]\n", "a.1", `3`, "a: [1, 3]\n"},
		"list in a list":           {"- - 1\n  - 2\n", "0.2", `3`, "- - 1\n  - 2\n  - 3\n"},
		"list with an anchor":      {"a: &x\n  - 1\n", "a.1", `3`, "a: &x\n  - 1\n  - 3\n"},
		"empty file":               {"", "a.b", `1`, "a:\n  b: 1\n"},
		"comment alone":            {"# c", "a", `1`, "# c\na: 1\n"},
		"byte order mark alone":    {"\ufeff", "a", `1`, "\ufeffa: 1\n"},
		"document mark alone":      {"---\n", "a", `1`, "---\na: 1\n"},
		"first document":           {"a: 1\n---\nb: 1\n", "c", `2`, "a: 1\nc: 2\n---\nb: 1\n"},
		"another document has it":  {"a: 1\n---\nb: 1\n", "b", `2`, "a: 1\n---\nb: 2\n"},
		"override of a merge":      {"a: &x {t: 1}\nb:\n  <<: *x\n", "b.t", `2`, "a: &x {t: 1}\nb:\n  <<: *x\n  t: 2\n"},
		"key that needs quotes":    {"a: 1\n", `yes`, `2`, "a: 1\n\"yes\": 2\n"},
		"key with a dot":           {"a: 1\n", `b\.c`, `2`, "a: 1\nb.c: 2\n"},
		"comments behind stay":     {"a:\n  b: 1\n  # c: 2\n\nz: 1\n", "a.d", `3`, "a:\n  b: 1\n  d: 3\n  # c: 2\n\nz: 1\n"},
		"document end mark stays":  {"a: 1\n...\n", "b", `2`, "a: 1\nb: 2\n...\n"},
		"json over lines":          {"{\n  \"a\": 1\n}\n", "b", `2`, "{\n  \"a\": 1, b: 2\n}\n"},
		"value over several lines": {"a: 1\n", "b", `"x\ny"`, "a: 1\nb: \"x\\ny\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := edit(t, tt.in, func(f *yamledit.File) error { return f.Add(path(t, tt.key), value(t, tt.value)) })
			if err != nil || got != tt.want {
				t.Errorf("got %q, %v\nwant %q", got, err, tt.want)
			}
		})
	}
}

func TestAddRefuses(t *testing.T) {
	for name, tt := range map[string]struct{ in, key, want string }{
		"alias in the way":     {"a: &x {t: 1}\nb: *x\n", "b.c", "alias *x"},
		"value in the way":     {"a: 1\n", "a.b", "single value"},
		"mapping there":        {"a: {b: 1}\n", "a", "its keys: b"},
		"gap in a list":        {"a: [1]\n", "a.2", "a has 1 items"},
		"a list to make":       {"a: 1\n", "b.0.c", "a list is not made"},
		"root is a value":      {"text\n", "a", "single value"},
		"two empty documents":  {"---\n---\n", "a", "not a mapping"},
		"root is written null": {"null\n", "a", "not a mapping"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := edit(t, tt.in, func(f *yamledit.File) error { return f.Add(path(t, tt.key), value(t, "1")) })
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error that says %q", err, tt.want)
			}
		})
	}
}

func TestAddTrees(t *testing.T) {
	image := yamledit.Pair(yamledit.Map("name", yamledit.String("web")), "newTag", yamledit.String("1.10"))
	for name, tt := range map[string]struct{ in, key, want string }{
		"list made":              {"kind: K\n", "images", "kind: K\nimages:\n- name: web\n  newTag: \"1.10\"\n"},
		"list made as others":    {"r:\n  - a\n", "images", "r:\n  - a\nimages:\n  - name: web\n    newTag: \"1.10\"\n"},
		"list in place of null":  {"images:\nkind: K\n", "images", "images:\n- name: web\n  newTag: \"1.10\"\nkind: K\n"},
		"list in place of tilde": {"images: ~\n", "images", "images: [{name: web, newTag: \"1.10\"}]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := edit(t, tt.in, func(f *yamledit.File) error { return f.Add(path(t, tt.key), yamledit.List(image)) })
			if err != nil || got != tt.want {
				t.Errorf("got %q, %v\nwant %q", got, err, tt.want)
			}
		})
	}
}

func TestEntries(t *testing.T) {
	remove := func(key string) func(*testing.T, *yamledit.File) error {
		return func(t *testing.T, f *yamledit.File) error { return f.Remove(path(t, key)) }
	}
	rename := func(key, to string) func(*testing.T, *yamledit.File) error {
		return func(t *testing.T, f *yamledit.File) error { return f.Rename(path(t, key), to) }
	}
	reorder := func(key string, order ...int) func(*testing.T, *yamledit.File) error {
		return func(t *testing.T, f *yamledit.File) error { return f.Reorder(path(t, key), order) }
	}
	for name, tt := range map[string]struct {
		in     string
		change func(*testing.T, *yamledit.File) error
		want   string // the text; in the error when it begins with "!"
	}{
		"remove":                   {"a: 1\nb: 2 # c\nc: 3\n", remove("b"), "a: 1\nc: 3\n"},
		"remove the last":          {"a: 1\nb: 2", remove("b"), "a: 1"},
		"remove after the dash":    {"- a: 1\n  b: 2\n", remove("0.a"), "- b: 2\n"},
		"remove many lines":        {"a: |\n  x\n  y\nb: 2\n", remove("a"), "b: 2\n"},
		"remove in flow":           {"{a: 1, b: 2}\n", remove("a"), "{b: 2}\n"},
		"remove the last in flow":  {"{a: 1, b: 2}\n", remove("b"), "{a: 1}\n"},
		"remove the only one":      {"a: 1\n", remove("a"), "!only key"},
		"remove an anchor":         {"a: &x 1\nb: *x\n", remove("a"), "!unknown anchor"},
		"remove a nested anchor":   {"z: 1\na:\n  t: &x 1\n  u: 2\nb: *x\n", remove("a.t"), "!unknown anchor"},
		"remove what is not there": {"a: 1\n", remove("z"), "!no such key z"},
		"remove an item":           {"[1, 2]\n", remove("0"), "!item of a list"},
		"rename":                   {"a: 1 # c\n", rename("a", "b"), "b: 1 # c\n"},
		"rename keeps quotes":      {`"a": 1` + "\n", rename("a", "b"), `"b": 1` + "\n"},
		"rename to one there":      {"a: 1\nb: 2\n", rename("a", "b"), "!has the key b already"},
		"reorder":                  {"l:\n- b: 1 # c\n  x: 2\n- a: 3\nz: 1\n", reorder("l", 1, 0), "l:\n- a: 3\n- b: 1 # c\n  x: 2\nz: 1\n"},
		"reorder the whole file":   {"- b\n- c\n- a", reorder("0", 0), "!no list"},
		"reorder without line end": {"l:\n- b\n- c\n- a", reorder("l", 2, 0, 1), "l:\n- a\n- b\n- c"},
		"reorder flow":             {"l: [b, c,  a]\n", reorder("l", 2, 0, 1), "l: [a, b,  c]\n"},
		"reorder past a comment":   {"l:\n- b\n# a!\n- a\n", reorder("l", 1, 0), "!comment"},
		"reorder below a comment":  {"l:\n# b!\n- b\n- a\n", reorder("l", 1, 0), "!comment"},
		"reorder past an anchor":   {"l:\n- &x b\n- *x\n", reorder("l", 1, 0), "!unknown anchor"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := edit(t, tt.in, func(f *yamledit.File) error { return tt.change(t, f) })
			if hint, wantErr := strings.CutPrefix(tt.want, "!"); wantErr {
				if err == nil || !strings.Contains(err.Error(), hint) {
					t.Errorf("got %q, %v, want an error that says %q", got, err, hint)
				}
			} else if err != nil || got != tt.want {
				t.Errorf("got %q, %v\nwant %q", got, err, tt.want)
			}
		})
	}
}

// An edit that fails in the middle of several leaves those before it.
func TestEditsInSequence(t *testing.T) {
	if _, err := yamledit.Parse([]byte("a: 1\nb: *x\n")); err == nil {
		t.Fatal("an unknown alias parsed")
	}
	f, err := yamledit.Parse([]byte("a: &x 1\nb: *x\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Set(yamledit.Path{"a"}, value(t, "2")); err != nil {
		t.Fatal(err)
	}
	if err := f.Remove(yamledit.Path{"a"}); err == nil {
		t.Fatal("an anchor in use was removed")
	}
	if err := f.Add(yamledit.Path{"c"}, value(t, "3")); err != nil {
		t.Fatal(err)
	}
	if got, want := string(f.Bytes()), "a: &x 2\nb: *x\nc: 3\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := f.Find(yamledit.Path{"d"}); !errors.Is(err, yamledit.ErrMissing) {
		t.Errorf("got %v, want ErrMissing", err)
	}
	if n, err := f.Find(yamledit.Path{"c"}); err != nil || n.Value != "3" {
		t.Errorf("got %v, %v", n, err)
	}
}

// A collection is put where nothing is, never over something.
func TestAddOverSomething(t *testing.T) {
	for text, want := range map[string]string{
		"a: {b: 1}\n": "a exists already (line 1)", "x: 1\na: [1]\n": "a exists already (line 2)", "a: 1\n": "a exists already (line 1)", "a:\n": "", "a: ~\n": "",
	} {
		file, err := yamledit.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		err = file.Add(yamledit.Path{"a"}, yamledit.Map("c", yamledit.String("x")))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || string(file.Bytes()) != text) {
			t.Errorf("%q: %v, and it is %q", text, err, file.Bytes())
		}
	}
}

package tomledit_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/gitops/step/tomledit"
	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

const doc = `# head
title = "a" # keep
"x.y" = 'lit'
day = 2026-11-30
ratio = 1.5
big = 1_000
on = true
multi = """
two
"""
list = [ 1, 2, # three
  3 ]
point = { x = 1, "y z".w = 2 }

[a.b]
  c.d = 1   # dotted
  c.e = 2

[[items]]
name = "one"
[[items]]
name = "two"
[items.sub]
deep = 0x1f
`

func TestEdits(t *testing.T) {
	for name, tt := range map[string]struct {
		key, value string
		add        bool
		old, new   string // the bytes that change; both empty: none do
	}{
		"text":                {"title", `"b\"\n"`, false, `"a"`, `"b\"\n"`},
		"text of a number":    {"title", `"1.10"`, false, `"a"`, `"1.10"`},
		"literal":             {`x\.y`, `"new"`, false, `'lit'`, `'new'`},
		"literal with quote":  {`x\.y`, `"it's"`, false, `'lit'`, `"it's"`},
		"multi":               {"multi", `"one"`, false, "\"\"\"\ntwo\n\"\"\"", `"one"`},
		"date":                {"day", `"2027-01-02"`, false, "2026-11-30", "2027-01-02"},
		"date to text":        {"day", `"tomorrow"`, false, "2026-11-30", `"tomorrow"`},
		"float":               {"ratio", `2`, false, "1.5", "2.0"},
		"integer":             {"big", `30000000`, false, "1_000", "30000000"},
		"integer as it is":    {"big", `1000`, false, "", ""},
		"boolean":             {"on", `false`, false, "true", "false"},
		"boolean to text":     {"on", `"no"`, false, "true", `"no"`},
		"item":                {"list.2", `"x"`, false, "3 ]", `"x" ]`},
		"inline":              {"point.x", `7`, false, "x = 1", "x = 7"},
		"inline dotted":       {"point.y z.w", `7`, false, "w = 2", "w = 7"},
		"dotted":              {"a.b.c.d", `7`, false, "d = 1 ", "d = 7 "},
		"table of a list":     {"items.1.name", `"x"`, false, `"two"`, `"x"`},
		"below it":            {"items.1.sub.deep", `5`, false, "0x1f", "5"},
		"key":                 {"new", `1`, true, "\"y z\".w = 2 }\n", "\"y z\".w = 2 }\nnew = 1\n"},
		"key in a table":      {"a.b.new key", `"v"`, true, "  c.e = 2\n", "  c.e = 2\n  \"new key\" = \"v\"\n"},
		"beside a dotted":     {"a.b.c.f", `3`, true, "  c.e = 2\n", "  c.e = 2\n  c.f = 3\n"},
		"deeper":              {"a.b.g.h", `3`, true, "  c.e = 2\n", "  c.e = 2\n  g.h = 3\n"},
		"in the first of two": {"items.0.tag", `"v1"`, true, "\"one\"\n", "\"one\"\ntag = \"v1\"\n"},
		"in an implied table": {"a.z", `1`, true, "0x1f\n", "0x1f\n\n[a]\nz = 1\n"},
		"new table":           {"n.m.k", `1`, true, "0x1f\n", "0x1f\n\n[n.m]\nk = 1\n"},
		"in an inline":        {"point.z", `3`, true, "w = 2 }", "w = 2, z = 3 }"},
		"last item":           {"list.3", `4`, true, "3 ]", "3, 4 ]"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, text := range []string{doc, "\ufeff" + strings.ReplaceAll(doc, "\n", "\r\n")} {
				old, new := tt.old, tt.new
				if strings.Contains(text, "\r") {
					old, new = strings.ReplaceAll(old, "\n", "\r\n"), strings.ReplaceAll(new, "\n", "\r\n")
				}
				f, err := tomledit.Parse([]byte(text))
				if err != nil {
					t.Fatal(err)
				}
				if err := edit(t, f, tt.key, tt.value, tt.add); err != nil {
					t.Fatal(err)
				}
				if want := strings.Replace(text, old, new, 1); string(f.Bytes()) != want || old != "" && want == text {
					t.Errorf("got\n%s\nwant\n%s", f.Bytes(), want)
				}
			}
		})
	}
}

func edit(t testing.TB, f *tomledit.File, key, value string, add bool) error {
	t.Helper()
	path, err := yamledit.ParseKey(key)
	if err != nil {
		t.Fatal(err)
	}
	if add {
		return f.Add(path, json.RawMessage(value))
	}
	return f.Set(path, json.RawMessage(value))
}

// Texts in which a first key has no line to stand behind.
func TestFirstKeys(t *testing.T) {
	for text, want := range map[string]string{
		"":             "k = 1\n",
		"# c":          "k = 1\n# c",
		"[a]\nb = 2":   "k = 1\n[a]\nb = 2",
		"a = {}\n":     "a = {}\nk = 1\n",
		"a = 1":        "a = 1\nk = 1",
		"\ufeff[a]\n":  "\ufeffk = 1\n[a]\n",
		"a.b = [[]]\n": "a.b = [[]]\nk = 1\n",
	} {
		f, err := tomledit.Parse([]byte(text))
		if err == nil {
			err = edit(t, f, "k", "1", true)
		}
		if err != nil || string(f.Bytes()) != want {
			t.Errorf("%q: got %q, %v, want %q", text, f.Bytes(), err, want)
		}
	}
}

func TestRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		key, value string
		add        bool
		want       string
	}{
		"missing":          {"items.1.sub.deeq", `1`, false, "no such key items.1.sub.deeq (nearest: items.1.sub.deep)"},
		"a table":          {"a.b", `1`, true, "a.b is a table"},
		"a list":           {"list", `1`, false, "list is a list of 3, not a single value: add an index"},
		"tables":           {"items", `1`, false, "items is a list of 2"},
		"behind the last":  {"list.7", `1`, true, "list has 3 items"},
		"another table":    {"items.2.name", `1`, true, "items has 2 tables"},
		"a list is not":    {"new.0", `1`, true, "a list is not made"},
		"no index":         {"list.x", `1`, true, "write an index in place of"},
		"through a value":  {"title.x", `1`, true, "title is a single value (line 2)"},
		"null":             {"title", `null`, false, "which TOML does not have"},
		"too large":        {"big", `18446744073709551616`, false, "does not fit into 64 bits"},
		"list as value":    {"title", `[1]`, false, "set its parts one by one"},
		"in inline dotted": {"point.y z.v", `1`, true, "given up"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := tomledit.Parse([]byte(doc))
			if err != nil {
				t.Fatal(err)
			}
			if err := edit(t, f, tt.key, tt.value, tt.add); err == nil || !strings.Contains(err.Error(), tt.want) || string(f.Bytes()) != doc {
				t.Errorf("got %v, want %s\n%s", err, tt.want, f.Bytes())
			}
		})
	}
}

func TestInvalid(t *testing.T) {
	for text, want := range map[string]string{
		"a = 1\na = 2":  "line 2",
		"a = \n":        "line 1",
		"a = \"\x00\"":  "not UTF-8 text",
		"\xfe\xffa = 1": "UTF-16",
	} {
		if _, err := tomledit.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// FuzzEdit: an edit either fails and changes nothing, or gives TOML that has the
// value, and is done when it is made again.
func FuzzEdit(f *testing.F) {
	f.Add(doc, "a.b.c.f", `3`, true)
	f.Add(doc, "ratio", `3`, false)
	f.Add("[[a.b]]\n[a.b.c]\nd = {}", "a.b.0.c.d.e", `"x"`, true)
	f.Add("a = [{b = 07:00:00}]", "a.0.b", `"08:00:00"`, true)
	f.Fuzz(func(t *testing.T, text, key, value string, add bool) {
		file, err := tomledit.Parse([]byte(text))
		if _, keyErr := yamledit.ParseKey(key); err != nil || keyErr != nil {
			return
		}
		if edit(t, file, key, value, add) != nil {
			if string(file.Bytes()) != text {
				t.Errorf("an edit that failed changed %q to %q", text, file.Bytes())
			}
			return
		}
		once := string(file.Bytes())
		if err := edit(t, file, key, value, false); err != nil || string(file.Bytes()) != once {
			t.Errorf("%q: %s = %s gave %q, and again %q (%v)", text, key, value, once, file.Bytes(), err)
		}
	})
}

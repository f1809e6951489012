package jsonedit_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/gitops/step/jsonedit"
	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

const doc = "\ufeff{\r\n\t\"a\" : {\"b.c\": 1.0, \"l\": [1,2],\"e\": {}},\r\n\t\"s\" : \"\\u00fc<\",\r\n\t\"n\" : null\r\n}"

func TestEdits(t *testing.T) {
	for name, tt := range map[string]struct {
		key, value string
		add        bool
		old, new   string // the bytes that change; both empty: none do
	}{
		"number":             {`a.b\.c`, `30000000`, false, "1.0", "30000000"},
		"digits":             {`a.b\.c`, `18446744073709551616`, false, "1.0", "18446744073709551616"},
		"as it is":           {`a.b\.c`, `1.0`, false, "", ""},
		"item":               {"a.l.1", `"x"`, false, "[1,2]", `[1,"x"]`},
		"text":               {"s", `"a\"<ü"`, false, `"\u00fc<"`, `"a\"<ü"`},
		"text as it is":      {"s", `"ü<"`, false, "", ""},
		"null":               {"n", `false`, false, ": null", ": false"},
		"key":                {"k", `1`, true, ": null", ": null,\r\n\t\"k\" : 1"},
		"nested":             {"k.x.y", `"z"`, true, ": null", ": null,\r\n\t\"k\" : {\"x\": {\"y\": \"z\"}}"},
		"into null":          {"n.x", `1`, true, ": null", `: {"x": 1}`},
		"into empty":         {"a.e.x", `1`, true, `{}`, `{"x": 1}`},
		"beside":             {"a.x", `true`, true, `"e": {}`, `"e": {},"x": true`},
		"last item":          {"a.l.-1", `3`, true, "[1,2]", "[1,2,3]"},
		"last item by index": {"a.l.2", `3`, true, "[1,2]", "[1,2,3]"},
		"there already":      {"a.l.0", `7`, true, "[1,", "[7,"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := jsonedit.Parse([]byte(doc))
			if err != nil {
				t.Fatal(err)
			}
			if err := edit(t, f, tt.key, tt.value, tt.add); err != nil {
				t.Fatal(err)
			}
			if want := strings.Replace(doc, tt.old, tt.new, 1); string(f.Bytes()) != want {
				t.Errorf("got\n%q\nwant\n%q", f.Bytes(), want)
			}
		})
	}
}

func edit(t testing.TB, f *jsonedit.File, key, value string, add bool) error {
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

func TestRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		text, key, value string
		add              bool
		want             string
	}{
		"missing":         {`{"image": {"tag": 1}}`, "image.tga", `1`, false, "no such key image.tga (nearest: image.tag)"},
		"behind the last": {`{"l": [1]}`, "l.3", `1`, true, "l has 1 items, and 0 is the first; -1 adds one"},
		"a list is not":   {`{}`, "l.0", `1`, true, "a list is not made"},
		"no index":        {`{"l": [1]}`, "l.x", `1`, true, `l is a list of 1 (line 1): write an index in place of "x"`},
		"through a value": {"{\n\"a\": 1}", "a.b", `1`, true, `a is a single value (line 2), so it has no "b"`},
		"an object":       {`{"a": {}}`, "a", `1`, true, "a is an object"},
		"a list":          {`{"a": [1]}`, "a", `1`, false, "a is a list of 1 (line 1), not a single value: add an index"},
		"twice":           {"{\"a\": 1,\n\"a\": 2}", "a", `1`, false, `the key "a" twice (lines 1 and 2)`},
		"object as value": {`{"a": 1}`, "a", `{}`, false, "set its parts one by one"},
		"null as value":   {`{"a": 1}`, "a", `null`, false, "the value is null"},
		"a root of null":  {`null`, "a", `1`, true, "the document is a single value"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := jsonedit.Parse([]byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			err = edit(t, f, tt.key, tt.value, tt.add)
			if err == nil || !strings.Contains(err.Error(), tt.want) || string(f.Bytes()) != tt.text {
				t.Errorf("got %v and %s, want %s", err, f.Bytes(), tt.want)
			}
			if strings.HasPrefix(tt.want, "no such") != errors.Is(err, yamledit.ErrMissing) && name == "missing" {
				t.Errorf("%v is ErrMissing: %v", err, errors.Is(err, yamledit.ErrMissing))
			}
		})
	}
}

func TestInvalid(t *testing.T) {
	for text, want := range map[string]string{
		"{\n\"a\": 1,\n}":           "line 3",
		"{ // c\n}":                 "JSON has no comments",
		"{} x":                      "not valid JSON",
		"\xff\xfe{":                 "UTF-16",
		"\"\x00\"":                  "not UTF-8 text",
		strings.Repeat("[", 100000): "not valid JSON",
	} {
		if _, err := jsonedit.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: got %v, want %s", text, err, want)
		}
	}
}

// FuzzEdit: an edit either fails and changes nothing, or gives JSON that has the
// value, and is done when it is made again.
func FuzzEdit(f *testing.F) {
	f.Add(doc, `a.b\.c`, `3`, true)
	f.Add("", "a.b", `"x"`, true)
	f.Add(`[[1, {"a": [ ]}]]`, "0.1.a.-1", `true`, true)
	f.Add(`{"a":1}`, "-1", `1e5`, false)
	f.Fuzz(func(t *testing.T, text, key, value string, add bool) {
		file, err := jsonedit.Parse([]byte(text))
		path, keyErr := yamledit.ParseKey(key)
		if err != nil || keyErr != nil {
			return
		}
		if edit(t, file, key, value, add) != nil {
			if string(file.Bytes()) != text {
				t.Errorf("an edit that failed changed %q to %q", text, file.Bytes())
			}
			return
		}
		once := string(file.Bytes())
		if _, err := jsonedit.Parse([]byte(once)); err != nil {
			t.Errorf("%q became %q: %v", text, once, err)
		}
		if err := edit(t, file, key, value, false); path[len(path)-1] != "-1" && (err != nil || string(file.Bytes()) != once) {
			t.Errorf("%q: %s = %s gave %q, and again %q (%v)", text, key, value, once, file.Bytes(), err)
		}
	})
}

package step_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/gitops/step/steptest"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// Files of every bad kind, over each step that reads one: a Terminal error that
// names the file, and the workspace untouched.
func TestBadInput(t *testing.T) {
	const outputs = `{"path":"f","outputs":[{"name":"x","fromExpression":"a"}]}`
	const update = `{"path":"f","updates":[{"key":"a.b","value":1}]}`
	binary, huge, folder := "\x7fELF\x00", strings.Repeat("a = 1\n", 10<<20), "f is a folder"
	for uses, tt := range map[string]struct {
		config string
		want   map[string]string // content to what the error says
	}{
		"json-parse": {outputs, map[string]string{
			"{": "not valid JSON", "[1] 2": "something follows", "nul": "not valid JSON", "\xff\xfe{\x00": "not UTF-8 text", binary: "not UTF-8 text", huge: "are not read", "": "is empty",
			strings.Repeat("[", 100000): "not valid JSON",
		}},
		"json-update": {update, map[string]string{
			"{": "not valid JSON: line 1", "{}{}": "not valid JSON", `{"a":1}`: "a is a single value", `[]`: "the document is a list of 0", binary: "not UTF-8 text", huge: "are not edited",
		}},
		"toml-update": {update, map[string]string{
			"a": "line 1", "a = 1": "a is a single value", "[[a]]": "a is a list of 1", "c = 1": "no such key a.b", "": "no such key a.b", binary: "not UTF-8 text", huge: "are not edited",
			"a = " + strings.Repeat("[", 100000): "not valid TOML",
		}},
		"hcl-update": {update, map[string]string{
			"a = ": "not valid HCL: line 1", "a {": "not valid HCL: line 1", `{"a": 1}`: "use json-update", "a = 1": "a is 1 (line 1), not an object", "": "no such key a.b",
			binary: "not UTF-8 text", huge: "are not edited", "a = " + strings.Repeat("[", 100000): "nested too deep", "a = " + strings.Repeat("!", 100000) + "b": "nested too deep",
			"a = " + strings.Repeat("b ? c : ", 100000) + "d": "nested too deep", strings.Repeat("# c\n", 1<<20): "are not edited",
		}},
		"regex-update": {`{"path":"f","updates":[{"pattern":"a=(.*)","value":1}]}`, map[string]string{
			"b=1": "it matches nothing", "": "it matches nothing", binary: "not UTF-8 text", huge: "are not edited",
		}},
		"yaml-merge": {`{"inFiles":["f","f"],"outFile":"g"}`, map[string]string{
			"a: [": "not valid YAML", "a: *b": "not valid YAML", "a: &a {b: *a}": "or 500 levels", binary: "not UTF-8 text", huge: "are not edited",
			"a: &a [x, x, x, x, x, x, x, x, x]\n" + bomb("a", 9): "more than 200000 values",
		}},
		"toml-parse": {outputs, map[string]string{
			"a = ": "line 1", "[a": "line 1", "a = 1\na = 2": "already", binary: "not UTF-8 text", huge: "are not read", "": "is empty",
			"a = " + strings.Repeat("[", 100000): "not valid TOML",
		}},
		"yaml-parse": {outputs, map[string]string{
			"a: [": "not valid YAML", "a: *b": "not valid YAML", "{{ if .Values.a }}\na: 1\n{{ end }}\n": "not valid YAML", binary: "not UTF-8 text", huge: "are not read", "": "is empty",
			"a: &a [x, x, x, x, x, x, x, x, x]\n" + bomb("a", 9): "excessive aliasing",
		}},
	} {
		for content, want := range tt.want {
			t.Run(uses+"/"+want, func(t *testing.T) {
				ws := steptest.New(map[string]string{"f": content})
				_, err := step.Run(t.Context(), ws, step.Task{Uses: uses, Config: json.RawMessage(tt.config)})
				if err == nil || !promotion.IsTerminal(err) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "f: ") || len(ws.Writes) > 0 {
					t.Errorf("%.40q: got %.300v\nwant a Terminal error about f that says %s", content, err, want)
				}
			})
		}
		ws := steptest.New(map[string]string{"f/g": "a"})
		if _, err := step.Run(t.Context(), ws, step.Task{Uses: uses, Config: json.RawMessage(tt.config)}); err == nil || !strings.Contains(err.Error(), folder) {
			t.Errorf("%s of a folder: %v", uses, err)
		}
		broken := errors.New("connection reset")
		ws = steptest.New(map[string]string{"f": "a"})
		ws.Fail = map[string]error{"f": broken}
		if _, err := step.Run(t.Context(), ws, step.Task{Uses: uses, Config: json.RawMessage(tt.config)}); !errors.Is(err, broken) || promotion.IsTerminal(err) {
			t.Errorf("%s of a workspace that cannot be read: %v", uses, err)
		}
	}
}

// bomb is YAML whose aliases stand for 9 times as much on each of n lines.
func bomb(first string, n int) string {
	var b strings.Builder
	for i := range n {
		next := string(rune('b' + i))
		b.WriteString(next + ": &" + next + " [" + strings.TrimSuffix(strings.Repeat("*"+first+", ", 9), ", ") + "]\n")
		first = next
	}
	return b.String()
}

// FuzzParse: no file and no expression makes a step panic or write.
func FuzzParse(f *testing.F) {
	f.Add("a: [1, {b: 2026-11-30}]\n", "a[1].b")
	f.Add(`{"a": [1, 2.5, null]}`, "len($env) + a[0]")
	f.Add("[[a]]\nb = 07:00:00\n", "map(a, .b)")
	f.Fuzz(func(t *testing.T, text, expression string) {
		for _, uses := range []string{"json-parse", "toml-parse", "yaml-parse"} {
			config, err := json.Marshal(map[string]any{"path": "f", "outputs": []any{map[string]any{"name": "x", "fromExpression": expression}}})
			if err != nil {
				return
			}
			ws := steptest.New(map[string]string{"f": text})
			outcome, err := step.Run(t.Context(), ws, step.Task{Uses: uses, Config: config})
			if err == nil && !json.Valid(outcome.Output["x"]) || len(ws.Writes) > 0 {
				t.Errorf("%s gave %s and wrote %q", uses, outcome.Output["x"], ws.Writes)
			}
		}
	})
}

// FuzzMerge: what comes of a merge is YAML, and merging it again changes nothing.
func FuzzMerge(f *testing.F) {
	f.Add("a: &a {b: 1} # c\nd: *a\n", "a: {b: null, c: [1]}\ne: {<<: {x: \"yes\"}}\n")
	f.Add("- a\n", "|-\n x\n")
	f.Fuzz(func(t *testing.T, base, over string) {
		config := json.RawMessage(`{"inFiles":["a","b"],"outFile":"a"}`)
		ws := steptest.New(map[string]string{"a": base, "b": over})
		if _, err := step.Run(t.Context(), ws, step.Task{Uses: "yaml-merge", Config: config}); err != nil {
			if len(ws.Writes) > 0 || !promotion.IsTerminal(err) {
				t.Errorf("%v after %q", err, ws.Writes)
			}
			return
		}
		if _, err := step.Run(t.Context(), ws, step.Task{Uses: "yaml-merge", Config: config}); err != nil {
			t.Errorf("%q and %q gave %q, which cannot be merged again: %v", base, over, ws.Files["a"].Content, err)
		}
	})
}

// FuzzRegex: no pattern makes the step panic or fail after it wrote.
func FuzzRegex(f *testing.F) {
	f.Add("tag: 1\r\ntag: ü\n", `tag: (\S+)`, `"2"`)
	f.Add("ab", `(?P<value>x)?a|(b)`, `3`)
	f.Add("a.b", `a\Q.b`, `4`)
	f.Fuzz(func(t *testing.T, text, pattern, value string) {
		config, err := json.Marshal(map[string]any{"path": "f", "updates": []any{map[string]any{"pattern": pattern, "value": json.RawMessage(value)}}})
		if err != nil {
			return
		}
		ws := steptest.New(map[string]string{"f": text})
		if _, err := step.Run(t.Context(), ws, step.Task{Uses: "regex-update", Config: config}); err != nil && len(ws.Writes) > 0 {
			t.Errorf("%v after %q", err, ws.Writes)
		}
	})
}

// FuzzGlob: no pattern makes the step panic, lead outside, or fail after it deleted.
func FuzzGlob(f *testing.F) {
	for _, pattern := range []string{"*", "a/**/[b-c]*", "{a,b}/c", "../*", "a/b/../c", "**", "\\*", "l/*", "[/]"} {
		f.Add(pattern)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		config, err := json.Marshal(map[string]any{"path": pattern, "pathsAreGlobs": true})
		if err != nil {
			return
		}
		ws := steptest.New(map[string]string{"a/b/c": "1", "a/b/d": "2", "*": "3"})
		ws.Files["l"] = steptest.File{Content: "../..", Mode: step.ModeLink}
		if _, err := step.Run(t.Context(), ws, step.Task{Uses: "delete", Config: config}); err != nil && (len(ws.Writes) > 0 || !promotion.IsTerminal(err)) {
			t.Errorf("%q: %v after %q", pattern, err, ws.Writes)
		}
	})
}

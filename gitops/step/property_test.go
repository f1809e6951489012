package step_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/gitops/step/steptest"
	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

// What a property run writes: strings and others, some of which need quotes.
var values = []string{`"v1.2.3"`, `"1.10"`, `"yes"`, `""`, `"a: b # c"`, `"l1\nl2"`, `"é"`, `30000000`, `0.5`, `true`, `null`}

// TestManifests updates random scalars of real manifests.
func TestManifests(t *testing.T) {
	dir := shared(t, "gitops")
	edits, refused := 0, 0
	rng := rand.New(rand.NewPCG(1, 2))
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if ext := filepath.Ext(name); err != nil || (ext != ".yaml" && ext != ".yml") {
			return err
		}
		raw, err := os.ReadFile(name)
		if err != nil || parseAll(raw) == nil {
			return err // a template of Helm, for example
		}
		e, r := updateSome(t, rng, name, string(raw), 5)
		edits, refused = edits+e, refused+r
		return nil
	})
	if err != nil || edits < 300 || refused*20 > edits {
		t.Errorf("%d edits, %d refused, %v", edits, refused, err)
	}
}

// TestGenerated does the same with texts in all the ways of writing YAML.
func TestGenerated(t *testing.T) {
	edits, refused := 0, 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 7))
		text := generate(rng)
		if parseAll([]byte(text)) == nil {
			t.Fatalf("seed %d gave no YAML:\n%s", seed, text)
		}
		e, r := updateSome(t, rng, fmt.Sprint("seed ", seed), text, 4)
		edits, refused = edits+e, refused+r
	}
	if edits < 600 || refused > 0 {
		t.Errorf("%d edits, %d refused", edits, refused)
	}
}

// TestGeneratedDocuments updates one document of files with several, chosen by its
// place or by its kind and name: the others stay to the byte.
func TestGeneratedDocuments(t *testing.T) {
	edits := 0
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 17))
		var docs []string
		for i := range 2 + rng.IntN(3) {
			docs = append(docs, fmt.Sprintf("kind: K%d # keep\nmetadata: {name: n%d}\n", i%2, i)+mapping(rng, 0, 2))
		}
		i := rng.IntN(len(docs))
		keys := scalarKeys([]byte(docs[i]))[2:] // without kind and name
		if len(keys) == 0 {
			continue
		}
		key, value := keys[rng.IntN(len(keys))], values[rng.IntN(len(values))]
		before, after := strings.Join(docs[:i], "--- # keep\n"), strings.Join(docs[i+1:], "---\n")
		if i > 0 {
			before += "---\n"
		}
		if i < len(docs)-1 {
			after = "---\n" + after
		}
		document := []map[string]any{{"index": i}, {"kind": fmt.Sprint("K", i%2), "name": fmt.Sprint("n", i)}}[rng.IntN(2)]
		name := fmt.Sprintf("seed %d, document %v: %s = %s", seed, document, key, value)
		ws := steptest.New(map[string]string{"f": before + docs[i] + after})
		config, _ := json.Marshal(map[string]any{"path": "f", "updates": []any{map[string]any{"key": key.String(), "value": json.RawMessage(value), "document": document}}})
		if _, err := step.Run(t.Context(), ws, step.Task{Uses: "yaml-update", Config: config}); err != nil {
			if !strings.Contains(err.Error(), "has the tag !!str") { // that one is meant
				t.Errorf("%s: %v in\n%s", name, err, before+docs[i]+after)
			}
			continue
		}
		edits++
		got := ws.Files["f"].Content
		if !strings.HasPrefix(got, before) || !strings.HasSuffix(got, after) {
			t.Errorf("%s: it gave\n%s", name, got)
			continue
		}
		differsOnly(t, name, docs[i], strings.TrimSuffix(strings.TrimPrefix(got, before), after), key, value)
	}
	if edits < 100 {
		t.Errorf("%d edits", edits)
	}
}

// updateSome updates up to n scalars of text, each in a copy of its own.
func updateSome(t *testing.T, rng *rand.Rand, name, text string, n int) (edits, refused int) {
	keys := scalarKeys([]byte(text))
	for range min(n, len(keys)) {
		key, value := keys[rng.IntN(len(keys))], values[rng.IntN(len(values))]
		ws := steptest.New(map[string]string{"f.yaml": text})
		config, _ := json.Marshal(map[string]any{"path": "f.yaml", "updates": []any{map[string]any{"key": key.String(), "value": json.RawMessage(value)}}})
		_, err := step.Run(t.Context(), ws, step.Task{Uses: "yaml-update", Config: config})
		got := ws.Files["f.yaml"].Content
		if err != nil {
			if !strings.Contains(err.Error(), "has the tag !!str") { // that one is meant
				refused++
				t.Logf("%s: %v", name, err)
			}
			if got != text {
				t.Errorf("%s: %s was refused (%v), and the text changed", name, key, err)
			}
			continue
		}
		edits++
		differsOnly(t, fmt.Sprintf("%s: %s = %s", name, key, value), text, got, key, value)
	}
	return edits, refused
}

// differsOnly checks that new holds value at key and is old otherwise, parsed
// and as bytes.
func differsOnly(t *testing.T, name, old, new string, key yamledit.Path, value string) {
	t.Helper()
	want, got := parseAll([]byte(old)), parseAll([]byte(new))
	var v any
	if err := yaml.Unmarshal([]byte(value), &v); err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if changed, ok := with(want[i], key, v); ok {
			want[i] = changed
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: parsed it differs in more than the value:\n%s", name, diff)
	}
	oldLines, newLines := strings.SplitAfter(old, "\n"), strings.SplitAfter(new, "\n")
	changed := 0
	for i := range min(len(oldLines), len(newLines)) {
		if oldLines[i] != newLines[i] {
			changed++
		}
	}
	if _, lines := v.(string); len(oldLines) == len(newLines) && changed > 1 && !(lines && strings.Contains(v.(string), "\n")) {
		t.Errorf("%s: %d lines changed", name, changed)
	}
	if kept := strings.Count(new, "# keep"); kept != strings.Count(old, "# keep") {
		t.Errorf("%s: comments went: %d are left", name, kept)
	}
}

// with returns v with x in the place of key.
func with(v any, key yamledit.Path, x any) (any, bool) {
	if len(key) == 0 {
		return x, true
	}
	switch v := v.(type) {
	case map[string]any:
		if old, there := v[key[0]]; there {
			changed, ok := with(old, key[1:], x)
			v[key[0]] = changed
			return v, ok
		}
	case []any:
		if i, err := strconv.Atoi(key[0]); err == nil && i < len(v) {
			changed, ok := with(v[i], key[1:], x)
			v[i] = changed
			return v, ok
		}
	}
	return v, false
}

// parseAll returns the documents as plain values; nil when text is no YAML, or
// has keys that are no strings.
func parseAll(text []byte) (docs []any) {
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var v any
		if err := d.Decode(&v); errors.Is(err, io.EOF) {
			return docs
		} else if err != nil {
			return nil
		}
		docs = append(docs, v)
	}
}

// scalarKeys lists the paths of all scalars that are written out in text.
func scalarKeys(text []byte) (keys []yamledit.Path) {
	var walk func(n *yaml.Node, at yamledit.Path)
	walk = func(n *yaml.Node, at yamledit.Path) {
		switch n.Kind {
		case yaml.ScalarNode:
			keys = append(keys, at)
		case yaml.MappingNode:
			for i := 0; i < len(n.Content); i += 2 {
				walk(n.Content[i+1], append(at[:len(at):len(at)], n.Content[i].Value))
			}
		case yaml.SequenceNode:
			for i, c := range n.Content {
				walk(c, append(at[:len(at):len(at)], strconv.Itoa(i)))
			}
		}
	}
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var n yaml.Node
		if d.Decode(&n) != nil {
			return keys
		}
		if c := n.Content[0]; c.Kind != yaml.ScalarNode {
			walk(c, nil)
		}
	}
}

// generate writes a random mapping.
func generate(rng *rand.Rand) string {
	eol := []string{"\n", "\r\n"}[rng.IntN(2)]
	text := []string{"", "# head\n", "---\n", "\ufeff"}[rng.IntN(4)] + mapping(rng, 0, 3)
	return strings.ReplaceAll(text, "\n", eol)
}

func mapping(rng *rand.Rand, indent, depth int) string {
	var b strings.Builder
	for i := range 2 + rng.IntN(4) {
		fmt.Fprintf(&b, "%s%s:%s", strings.Repeat(" ", indent), []string{"k%d", `"k%d"`, "kö%d", "k.%d", "k%d "}[rng.IntN(5)], block(rng, indent, depth))
		text := b.String()
		b.Reset()
		b.WriteString(strings.Replace(text, "%d", strconv.Itoa(i), 1))
	}
	return b.String()
}

// block writes what stands behind a colon, up to the line end.
func block(rng *rand.Rand, indent, depth int) string {
	pad := strings.Repeat(" ", indent)
	comment := []string{"", " # keep", "\t# keep: x", "   "}[rng.IntN(4)] + "\n"
	kind := rng.IntN(10)
	if depth == 0 {
		kind = rng.IntN(6)
	}
	switch kind {
	case 0:
		return comment
	case 1:
		return " |\n" + pad + "    text: 1\n\n" + pad + "      # no comment\n" + []string{"", "\n"}[rng.IntN(2)]
	case 2:
		return " >-" + comment + pad + "  folded\n" + pad + "  text\n"
	case 3:
		return " one\n" + pad + "    two" + comment
	case 4, 5:
		return " " + scalar(rng) + comment
	case 6:
		return fmt.Sprintf(" {a: %s, \"b\": [%s,  %s], c: {}}", scalar(rng), scalar(rng), scalar(rng)) + comment
	case 7:
		return comment + pad + "- " + scalar(rng) + comment + pad + "- x: " + scalar(rng) + "\n" + pad + "  y: " + scalar(rng) + comment
	case 8:
		return comment + pad + "  - - " + scalar(rng) + "\n" + pad + "    -\n"
	}
	return comment + mapping(rng, indent+1+rng.IntN(4), depth-1)
}

func scalar(rng *rand.Rand) string {
	return []string{"plain", "1.10", `"double \" # x"`, "'single '' # x'", "true", "~", "üñ", "!!str 5", "http://a.b/c#d", "\"two\\\n   lines\"", "30000000"}[rng.IntN(11)]
}

// FuzzYAMLUpdate: no file, key or value makes the step panic, or fail after it wrote.
func FuzzYAMLUpdate(f *testing.F) {
	for seed := range uint64(6) {
		f.Add(generate(rand.New(rand.NewPCG(seed, 9))), "k0.a", `"w"`, seed%2 == 0)
	}
	f.Add("a: 1\n", "a", `{"b":1}`, true)
	f.Fuzz(func(t *testing.T, text, key, value string, create bool) {
		config, err := json.Marshal(map[string]any{"path": "f", "updates": []any{map[string]any{"key": key, "value": json.RawMessage(value), "create": create}}})
		if err != nil {
			return
		}
		ws := steptest.New(map[string]string{"f": text})
		if _, err := step.Run(t.Context(), ws, step.Task{Uses: "yaml-update", Config: config}); err != nil && len(ws.Writes) > 0 {
			t.Errorf("it failed (%v) after it wrote", err)
		}
	})
}

// FuzzSetImage is the same for kustomize-set-image.
func FuzzSetImage(f *testing.F) {
	f.Add("images:\n- name: web\n  newTag: v1\n", "web", "v2", "")
	f.Add("images: [{name: web, digest: x}]\n", "web", "v2", "n")
	f.Add("kind: Kustomization", "web", "", "*")
	f.Add("images:\n- &a {name: b}\n- *a\n", "a", "1.10", "")
	f.Fuzz(func(t *testing.T, text, image, tag, newName string) {
		config, err := json.Marshal(map[string]any{"path": ".", "images": []any{map[string]any{"image": image, "tag": tag, "newName": newName}}})
		if err != nil {
			return
		}
		ws := steptest.New(map[string]string{"kustomization.yaml": text})
		_, err = step.Run(t.Context(), ws, step.Task{Uses: "kustomize-set-image", Config: config})
		if err != nil && len(ws.Writes) > 0 {
			t.Errorf("it failed (%v) after it wrote", err)
		}
	})
}

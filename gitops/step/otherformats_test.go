package step_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/gitops/step/steptest"
	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

// otherFormat is one whose files hold one document.
type otherFormat struct {
	write func(any) ([]byte, error)
	read  func(*testing.T, string) any
}

var otherFormats = map[string]otherFormat{
	"json-update": {func(v any) ([]byte, error) { return json.MarshalIndent(v, "", "  ") }, func(t *testing.T, text string) any { return parseJSON(t, text) }},
	"toml-update": {toml.Marshal, func(t *testing.T, text string) any { return map[string]any(parseTOML(t, text)) }},
}

// TestOtherFormats updates random scalars of random documents in JSON and TOML:
// parsed, the outcome differs in that value alone; as text, in one line.
func TestOtherFormats(t *testing.T) {
	edits := 0
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 11))
		tree := randomTree(rng, 3)
		for uses := range otherFormats {
			edits += updateOther(t, rng, fmt.Sprint("seed ", seed), uses, tree)
		}
	}
	if edits < 250 {
		t.Errorf("%d edits", edits)
	}
}

// TestManifestsInOtherFormats does so with real manifests, written as JSON and as TOML.
func TestManifestsInOtherFormats(t *testing.T) {
	edits := map[string]int{}
	rng := rand.New(rand.NewPCG(3, 4))
	err := filepath.WalkDir(shared(t, "gitops"), func(name string, d fs.DirEntry, err error) error {
		if ext := filepath.Ext(name); err != nil || (ext != ".yaml" && ext != ".yml") {
			return err
		}
		raw, err := os.ReadFile(name)
		for i, doc := range parseAll(raw) {
			tree, isObject := doc.(map[string]any)
			if !isObject || len(treeKeys(tree, nil)) == 0 {
				continue
			}
			for uses := range otherFormats {
				edits[uses] += updateOther(t, rng, fmt.Sprintf("%s, document %d", name, i), uses, tree)
			}
		}
		return err
	})
	if err != nil || edits["json-update"] < 100 || edits["toml-update"] < 50 {
		t.Errorf("%v edits, %v", edits, err)
	}
}

// updateOther updates one random scalar of a document, and returns 1 if that was
// done; 0: the format cannot hold the document.
func updateOther(t *testing.T, rng *rand.Rand, of, uses string, tree map[string]any) int {
	t.Helper()
	f := otherFormats[uses]
	raw, err := f.write(tree)
	if err != nil {
		return 0
	}
	keys := treeKeys(tree, nil)
	key, value := keys[rng.IntN(len(keys))], []string{`"v2"`, `"1.10"`, `"a \"b\" \\ é\n"`, `30000000`, `9007199254740993`, `true`}[rng.IntN(6)]
	if uses == "toml-update" && at(tree, key) == nil {
		return 0 // TOML has no null, and leaves the key out
	}
	ws := steptest.New(map[string]string{"f": string(raw)})
	config, _ := json.Marshal(map[string]any{"path": "f", "updates": []any{map[string]any{"key": key.String(), "value": json.RawMessage(value), "create": false}}})
	name := fmt.Sprintf("%s, %s: %s = %s", of, uses, key, value)
	if _, err := step.Run(t.Context(), ws, step.Task{Uses: uses, Config: config}); err != nil {
		t.Errorf("%s: %v in\n%s", name, err, raw)
		return 0
	}
	got := ws.Files["f"].Content
	v := parseJSON(t, value)
	if n, isNumber := v.(json.Number); isNumber && uses == "toml-update" {
		v, _ = n.Int64()
		if _, float := at(tree, key).(float64); float { // a float stays one
			v, _ = n.Float64()
		}
	}
	want, ok := with(f.read(t, string(raw)), key, v)
	if diff := cmp.Diff(want, f.read(t, got)); diff != "" || !ok {
		t.Errorf("%s: parsed it differs in more than the value:\n%s", name, diff)
	}
	before, after := strings.Split(string(raw), "\n"), strings.Split(got, "\n")
	changed := 0
	for i := range min(len(before), len(after)) {
		if before[i] != after[i] {
			changed++
		}
	}
	if len(before) != len(after) || changed > 1 {
		t.Errorf("%s: %d lines changed, and there are %d, not %d", name, changed, len(after), len(before))
	}
	return 1
}

// randomTree is an object of what JSON and TOML both know.
func randomTree(rng *rand.Rand, depth int) map[string]any {
	out := map[string]any{}
	for i := range 1 + rng.IntN(4) {
		key := []string{"k%d", "k.%d", "kö%d", "k \"%d"}[rng.IntN(4)]
		out[strings.Replace(key, "%d", fmt.Sprint(i), 1)] = randomValue(rng, depth)
	}
	return out
}

func randomValue(rng *rand.Rand, depth int) any {
	kind := rng.IntN(7)
	if depth == 0 {
		kind = rng.IntN(4)
	}
	switch kind {
	case 0:
		return []string{"plain", "1.10", "", "é \"q\" \\", "a # b"}[rng.IntN(5)]
	case 1:
		return int64(rng.IntN(1 << 30))
	case 2:
		return rng.IntN(2) == 0
	case 3:
		return 0.5 + float64(rng.IntN(9))
	case 4:
		return []any{"x", "y"}
	}
	return randomTree(rng, depth-1)
}

// at is the value at a path.
func at(v any, path yamledit.Path) any {
	for _, part := range path {
		switch c := v.(type) {
		case map[string]any:
			v = c[part]
		case []any:
			i, _ := strconv.Atoi(part)
			v = c[i]
		}
	}
	return v
}

// treeKeys lists the paths of all single values.
func treeKeys(v any, path yamledit.Path) (keys []yamledit.Path) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			keys = append(keys, treeKeys(v[key], append(path[:len(path):len(path)], key))...)
		}
	case []any:
		for i := range v {
			keys = append(keys, treeKeys(v[i], append(path[:len(path):len(path)], fmt.Sprint(i)))...)
		}
	default:
		keys = append(keys, path)
	}
	return keys
}

// FuzzUpdates: no file, key or value makes an updating step panic, or fail after it wrote.
func FuzzUpdates(f *testing.F) {
	f.Add(`{"a": [1, {"b": "c"}]}`, "a.1.b", `"w"`, true)
	f.Add("a.b = 1 # c\n[[t]]\nx = 'y'\n", "t.0.x", `"w"`, false)
	f.Add("resource \"a\" \"b\" {\n  tag = \"1\"\n}\n", "resource.a.b.tag", `"2"`, true)
	f.Fuzz(func(t *testing.T, text, key, value string, create bool) {
		for _, uses := range []string{"json-update", "toml-update", "hcl-update"} {
			config, err := json.Marshal(map[string]any{"path": "f", "updates": []any{map[string]any{"key": key, "value": json.RawMessage(value), "create": create}}})
			if err != nil {
				return
			}
			ws := steptest.New(map[string]string{"f": text})
			if _, err := step.Run(t.Context(), ws, step.Task{Uses: uses, Config: config}); err != nil && len(ws.Writes) > 0 {
				t.Errorf("%s failed (%v) after it wrote", uses, err)
			}
		}
	})
}

package step_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/gitops/step/steptest"
	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

// TestGeneratedHCL updates random literals of random HCL: parsed, the outcome
// differs in that value alone; as text, in no byte outside of it.
func TestGeneratedHCL(t *testing.T) {
	news := []string{`"v2"`, `"1.10"`, `""`, `"a \"b\" \\ ${c} %{d} $${e} é\n\tx"`, `30000000`, `9007199254740993`, `-0.5`, `true`, `null`}
	edits := 0
	for seed := range uint64(200) {
		w := &hclWriter{rng: rand.New(rand.NewPCG(seed, 13))}
		w.body(nil, 0, 2)
		text, crlf := w.String(), seed%3 == 0
		if crlf {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		for range min(4, len(w.leaves)) {
			leaf, value := w.leaves[w.rng.IntN(len(w.leaves))], news[w.rng.IntN(len(news))]
			start, end := leaf.start, leaf.end
			if crlf {
				start += strings.Count(w.String()[:start], "\n")
				end += strings.Count(w.String()[:end], "\n")
			}
			name := fmt.Sprintf("seed %d: %s = %s", seed, leaf.path, value)
			ws := steptest.New(map[string]string{"f": text})
			config, _ := json.Marshal(map[string]any{"path": "f", "updates": []any{map[string]any{"key": leaf.path.String(), "value": json.RawMessage(value)}}})
			if _, err := step.Run(t.Context(), ws, step.Task{Uses: "hcl-update", Config: config}); err != nil {
				t.Errorf("%s: %v in\n%s", name, err, text)
				continue
			}
			edits++
			got := ws.Files["f"].Content
			if !strings.HasPrefix(got, text[:start]) || !strings.HasSuffix(got, text[end:]) {
				t.Errorf("%s: bytes outside of the value changed:\n%s\nit was\n%s", name, got, text)
				continue
			}
			if written := got[start : len(got)-(len(text)-end)]; written != strings.TrimSpace(written) {
				t.Errorf("%s: it wrote %q", name, written)
			}
			want := readHCL(t, text)
			if _, there := want[leaf.path.String()]; !there {
				t.Fatalf("%s: the test reads no such key in\n%s", name, text)
			}
			want[leaf.path.String()] = parseJSON(t, value)
			if diff := cmp.Diff(shown(want), shown(readHCL(t, got))); diff != "" {
				t.Errorf("%s: parsed it differs in more than the value:\n%s", name, diff)
			}
		}
	}
	if edits < 600 {
		t.Errorf("%d edits", edits)
	}
}

// shown makes values of both sides comparable.
func shown(values map[string]any) map[string]string {
	out := map[string]string{}
	for key, value := range values {
		out[key] = fmt.Sprintf("%T %v", value, value)
	}
	return out
}

// readHCL gives all literals of a text by their keys.
func readHCL(t *testing.T, text string) map[string]any {
	t.Helper()
	file, diags := hclsyntax.ParseConfig([]byte(text), "f", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatalf("%v in\n%s", diags, text)
	}
	out := map[string]any{}
	readHCLBody(file.Body.(*hclsyntax.Body), nil, out)
	return out
}

func readHCLBody(body *hclsyntax.Body, at yamledit.Path, out map[string]any) {
	for name, attribute := range body.Attributes {
		readHCLValue(attribute.Expr, extend(at, name), out)
	}
	same := map[string][]*hclsyntax.Block{}
	for _, b := range body.Blocks {
		key := extend(extend(nil, b.Type), b.Labels...).String()
		same[key] = append(same[key], b)
	}
	for _, blocks := range same {
		for i, b := range blocks {
			path := extend(extend(at, b.Type), b.Labels...)
			if len(blocks) > 1 {
				path = extend(path, fmt.Sprint(i))
			}
			readHCLBody(b.Body, path, out)
		}
	}
}

func readHCLValue(expr hclsyntax.Expression, at yamledit.Path, out map[string]any) {
	switch e := expr.(type) {
	case *hclsyntax.ObjectConsExpr:
		for _, item := range e.Items {
			key, _ := item.KeyExpr.Value(nil)
			readHCLValue(item.ValueExpr, extend(at, key.AsString()), out)
		}
		return
	case *hclsyntax.TupleConsExpr:
		for i, item := range e.Exprs {
			readHCLValue(item, extend(at, fmt.Sprint(i)), out)
		}
		return
	}
	switch v, diags := expr.Value(nil); {
	case diags.HasErrors():
		out[at.String()] = "computed"
	case v.IsNull():
		out[at.String()] = nil
	case v.Type().FriendlyName() == "string":
		out[at.String()] = v.AsString()
	case v.Type().FriendlyName() == "bool":
		out[at.String()] = v.True()
	default:
		out[at.String()] = json.Number(v.AsBigFloat().Text('f', -1))
	}
}

func extend(path yamledit.Path, parts ...string) yamledit.Path {
	return append(path[:len(path):len(path)], parts...)
}

// hclWriter writes random HCL, and knows where each literal stands.
type hclWriter struct {
	strings.Builder
	rng    *rand.Rand
	leaves []hclLeaf
}

type hclLeaf struct {
	path       yamledit.Path
	start, end int // bytes
}

func (w *hclWriter) pick(of ...string) string { return of[w.rng.IntN(len(of))] }

// end ends a line, with or without a comment.
func (w *hclWriter) end() {
	w.WriteString(w.pick("", "", " # kept: x = 1", "  // kept", "\t/* kept */") + "\n" + w.pick("", "", "\n", "# kept\n"))
}

func (w *hclWriter) body(at yamledit.Path, depth, most int) {
	pad := strings.Repeat("  ", depth)
	for i := range 1 + w.rng.IntN(4) {
		if most > 0 && w.rng.IntN(3) == 0 {
			w.blocks(at, i, depth, most)
			continue
		}
		name := fmt.Sprintf(w.pick("a%d", "long_name-%d", "k%d"), i)
		w.WriteString(pad + name + w.pick(" = ", "    = ", "=", " =\t"))
		w.value(extend(at, name), pad, most)
		w.end()
	}
}

// blocks writes a block, or two that are called alike.
func (w *hclWriter) blocks(at yamledit.Path, i, depth, most int) {
	pad := strings.Repeat("  ", depth)
	path, head := extend(at, fmt.Sprint("block", i)), fmt.Sprint("block", i)
	for range w.rng.IntN(3) {
		label := w.pick("aws", "web.x", "v 1")
		path, head = extend(path, label), head+` "`+label+`"`
	}
	times := 1 + w.rng.IntN(2)
	for n := range times {
		inside := path
		if times > 1 {
			inside = extend(path, fmt.Sprint(n))
		}
		w.WriteString(pad + head + " {\n")
		w.body(inside, depth+1, most-1)
		w.WriteString(pad + "}\n")
	}
}

func (w *hclWriter) value(at yamledit.Path, pad string, most int) {
	kind := w.rng.IntN(8)
	if most == 0 {
		kind = w.rng.IntN(5)
	}
	switch kind {
	case 5:
		w.WriteString("[")
		for i := range 1 + w.rng.IntN(3) {
			w.WriteString(w.pick("", " ", "\n"+pad+"    "))
			w.value(extend(at, fmt.Sprint(i)), pad+"    ", most-1)
			w.WriteString(",")
		}
		w.WriteString(w.pick("", " # kept\n"+pad) + "]")
	case 6:
		w.WriteString("{\n")
		for i := range 1 + w.rng.IntN(3) {
			name := w.pick("o", "p q", "r.s") + fmt.Sprint(i)
			written := `"` + name + `"`
			if name[0] == 'o' {
				written = name
			}
			w.WriteString(pad + "    " + written + w.pick(" = ", " : ", "="))
			w.value(extend(at, name), pad+"    ", most-1)
			w.WriteString(w.pick("", ",", " # kept") + "\n")
		}
		w.WriteString(pad + "}")
	case 7:
		w.WriteString(w.pick("var.x", `"${var.a}-b"`, "max(1, 2)", "!true"))
	default:
		start := w.Len()
		w.WriteString(w.pick(`"plain"`, `"1.10"`, `""`, `"é \"q\" \\ $${x} # no comment"`, "3", "-2", "0.5", "1e3", "true", "null"))
		w.leaves = append(w.leaves, hclLeaf{at, start, w.Len()})
	}
}

package jsonedit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stagecoach-app/stagecoach/gitops/step/textedit"
	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

// scalar writes a string, number or boolean as JSON. Numbers keep their digits.
func scalar(v json.RawMessage) (string, error) {
	text := strings.TrimSpace(string(v))
	switch {
	case !json.Valid(v):
		return "", fmt.Errorf("the value %.40q is not JSON", text)
	case text == "null":
		return "", fmt.Errorf("the value is null; a string, a number or a boolean can be set")
	case text[0] == '{' || text[0] == '[':
		return "", fmt.Errorf("the value %.40s is not a string, a number or a boolean; set its parts one by one", text)
	case text[0] != '"':
		return text, nil
	}
	var s string
	if err := json.Unmarshal(v, &s); err != nil {
		return "", fmt.Errorf("the value cannot be read: %w", err)
	}
	return quoted(s), nil
}

// Text is how a value is written where nothing was before; what cannot be
// written stays as it is.
func Text(v json.RawMessage) string {
	text, err := scalar(v)
	if err != nil {
		return string(v)
	}
	return text
}

func quoted(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always has a JSON form
	return strings.TrimSuffix(b.String(), "\n")
}

// wrap puts a value under the keys of rest.
func wrap(rest yamledit.Path, text string) (string, error) {
	for i := len(rest) - 1; i >= 0; i-- {
		if _, isIndex := textedit.Index(rest[i]); isIndex || rest[i] == "-1" {
			return "", fmt.Errorf("%w %s: a list is not made, as %s might be a key as well; write the list into the file first", yamledit.ErrMissing, rest, rest[i])
		}
		text = "{" + quoted(rest[i]) + ": " + text + "}"
	}
	return text, nil
}

// insertion says where a new item of n goes and how it is written there: as its
// neighbours are.
func (f *File) insertion(n *node, key, text string) (place int, written string) {
	colon := ": "
	if len(n.items) == 0 {
		if n.kind == '{' {
			text = quoted(key) + colon + text
		}
		return n.start + 1, text
	}
	last := n.items[len(n.items)-1]
	if n.kind == '{' {
		text = quoted(key) + string(f.src[last.keyEnd:last.value.start]) + text
	}
	return last.value.end, "," + f.gap(n) + text
}

// gap is what stands in front of the last item of n.
func (f *File) gap(n *node) string {
	last := n.items[len(n.items)-1].keyStart
	if len(n.items) > 1 {
		from := n.items[len(n.items)-2].value.end
		return string(f.src[from+bytes.IndexByte(f.src[from:last], ',')+1 : last])
	}
	if gap := string(f.src[n.start+1 : last]); strings.Contains(gap, "\n") {
		return gap
	}
	return " "
}

// decoded reads a valid text, nil when it holds nothing.
func decoded(src []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(src, []byte(textedit.BOM))))
	d.UseNumber()
	_ = d.Decode(&v)
	return v
}

// with returns v with x at path, and what is missing of the path made.
func with(v any, path yamledit.Path, x any) any {
	if len(path) == 0 {
		return x
	}
	switch c := v.(type) {
	case []any:
		if i, ok := textedit.Index(path[0]); ok && i < len(c) {
			c[i] = with(c[i], path[1:], x)
			return c
		}
		return append(c, with(nil, path[1:], x))
	case map[string]any:
		c[path[0]] = with(c[path[0]], path[1:], x)
		return c
	}
	return map[string]any{path[0]: with(nil, path[1:], x)}
}

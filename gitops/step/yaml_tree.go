package step

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"

	"github.com/stagecoach-app/stagecoach/gitops/step/textedit"
)

// tree is one YAML document in which every alias is written out.
type tree struct {
	doc  yaml.Node  // for the comments around the value
	root *yaml.Node // nil: it holds nothing
}

// readTree reads the one document of a text.
func readTree(content []byte) (t *tree, err error) {
	defer func() {
		if r := recover(); r != nil { // the parser gave up
			t, err = nil, fmt.Errorf("not valid YAML: %v", r)
		}
	}()
	if err := textedit.Editable(content); err != nil {
		return nil, err
	}
	t = &tree{}
	d := yaml.NewDecoder(bytes.NewReader(content))
	switch err := d.Decode(&t.doc); {
	case errors.Is(err, io.EOF):
		return t, nil
	case err != nil:
		return nil, fmt.Errorf("not valid YAML: %w", err)
	}
	if err := d.Decode(new(yaml.Node)); err == nil {
		return nil, errors.New("it holds several documents; yaml-merge takes files with one")
	} else if !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("not valid YAML: %w", err)
	}
	e := expander{left: maxTreeNodes}
	if len(t.doc.Content) > 0 {
		t.root, err = e.expand(t.doc.Content[0], 0)
	}
	return t, err
}

// merge puts over on top of t.
func (t *tree) merge(over *tree) {
	switch {
	case over.root == nil:
	case t.root == nil:
		t.doc, t.root = over.doc, withoutNulls(over.root)
	default:
		t.root = mergeNodes(t.root, over.root)
	}
}

func mergeNodes(base, over *yaml.Node) *yaml.Node {
	if base.Kind != yaml.MappingNode || over.Kind != yaml.MappingNode {
		return withoutNulls(over)
	}
	for i := 0; i+1 < len(over.Content); i += 2 {
		key, value := over.Content[i], over.Content[i+1]
		switch at := keyIndex(base, key); {
		case at >= 0 && value.ShortTag() == "!!null":
			base.Content = append(base.Content[:at], base.Content[at+2:]...)
		case at >= 0:
			base.Content[at+1] = mergeNodes(base.Content[at+1], value)
		case value.ShortTag() != "!!null":
			base.Content = append(base.Content, key, withoutNulls(value))
		}
	}
	return base
}

// withoutNulls takes the keys of n away whose values are null: they are there to
// take away what is below them, and nothing is.
func withoutNulls(n *yaml.Node) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return n
	}
	kept := n.Content[:0]
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i+1].ShortTag() != "!!null" {
			kept = append(kept, n.Content[i], withoutNulls(n.Content[i+1]))
		}
	}
	n.Content = kept
	return n
}

// bytes writes the tree, and checks that what it wrote reads as the tree.
func (t *tree) bytes() ([]byte, error) {
	if t.root == nil {
		return nil, nil
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	doc := yaml.Node{Kind: yaml.DocumentNode, HeadComment: t.doc.HeadComment, FootComment: t.doc.FootComment, Content: []*yaml.Node{t.root}}
	if err := errors.Join(e.Encode(&doc), e.Close()); err != nil {
		return nil, fmt.Errorf("what was merged cannot be written: %w", err)
	}
	again, err := readTree(b.Bytes())
	if err != nil || again.root == nil || !sameTree(again.root, t.root) {
		return nil, errors.Join(errors.New("what was merged would not be read again as it is"), err)
	}
	return b.Bytes(), nil
}

// sameTree reports whether two values are the same, but for style and comments.
func sameTree(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.Value != b.Value || a.ShortTag() != b.ShortTag() || len(a.Content) != len(b.Content) {
		return false
	}
	for i := range a.Content {
		if !sameTree(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

package yamledit

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Document says which of a text's documents is meant. The zero value means all
// of them.
type Document struct {
	Index           *int   // from 0; nil: by what the document says
	Kind            string // as in Kubernetes manifests; empty: any
	Name, Namespace string // of metadata; empty: any
}

func (d Document) zero() bool { return d == Document{} }

// String is the document in a sentence.
func (d Document) String() string {
	if d.Index != nil {
		return fmt.Sprintf("document %d", *d.Index)
	}
	words := strings.Fields(d.Kind + " " + d.Name)
	if d.Namespace != "" {
		words = append(words, "of the namespace", d.Namespace)
	}
	return strings.Join(words, " ")
}

// Only has all that follows look at one document alone, until it is called with
// another one. When the document is not there, or several are what d says, the
// error lists what there is and nothing changes.
func (f *File) Only(d Document) error {
	if err := f.fresh(); err != nil {
		return err
	}
	if d.zero() {
		f.only = nil
		return nil
	}
	i, err := d.Choose(f.docs)
	if err != nil {
		return err
	}
	f.only = &i
	return nil
}

// Choose returns the index of the one document that d means.
func (d Document) Choose(docs []*yaml.Node) (int, error) {
	if d.Index != nil {
		if *d.Index < 0 || *d.Index >= len(docs) {
			return 0, fmt.Errorf("there is no document %d: the file has %d, and 0 is the first", *d.Index, len(docs))
		}
		return *d.Index, nil
	}
	var found []int
	for i, doc := range docs {
		if d.matches(documentOf(doc)) {
			found = append(found, i)
		}
	}
	switch len(found) {
	case 0:
		return 0, fmt.Errorf("no document is %s: the file has %s", d, listed(docs))
	case 1:
		return found[0], nil
	}
	return 0, fmt.Errorf("%d documents are %s (documents %s): say more of the one that is meant, or give its index", len(found), d, strings.ReplaceAll(strings.Trim(fmt.Sprint(found), "[]"), " ", ", "))
}

func (d Document) matches(other Document) bool {
	fits := func(want, got string) bool { return want == "" || want == got }
	return fits(d.Kind, other.Kind) && fits(d.Name, other.Name) && fits(d.Namespace, other.Namespace)
}

// documentOf reads what a document says of itself.
func documentOf(doc *yaml.Node) Document {
	text := func(path ...string) string {
		if at, err := descend(doc, path); err == nil && at.whole(path) && at.value.Kind == yaml.ScalarNode {
			return at.value.Value
		}
		return ""
	}
	return Document{Kind: text("kind"), Name: text("metadata", "name"), Namespace: text("metadata", "namespace")}
}

// listed names the documents for a sentence, the first eight of them.
func listed(docs []*yaml.Node) string {
	var names []string
	for i, doc := range docs {
		if len(names) == 8 {
			names = append(names, "…")
			break
		}
		name := documentOf(doc).String()
		if name == "" {
			name = fmt.Sprintf("document %d, which has no kind", i)
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(slices.Compact(names), ", ")
}

// scope are the documents that are looked at, by index.
func (f *File) scope() (from, to int) {
	if f.only != nil {
		return *f.only, *f.only + 1
	}
	return 0, len(f.docs)
}

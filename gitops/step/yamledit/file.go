package yamledit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// MaxSize is the largest text in bytes that Parse takes. Manifests are smaller
// by far; parsing takes about fifty times the text's size in memory.
const MaxSize = 8 << 20

// File is a YAML text with one or more documents, open for edits.
type File struct {
	src   []byte
	docs  []*yaml.Node // DocumentNodes; one without content has no Content
	lines []int        // offset of the first byte of each line
	eol   string       // the line end that new lines get
}

// Parse reads src. An empty text is a File without documents, to which Add may
// still give a first key. The error says why src cannot be edited as YAML.
func Parse(src []byte) (*File, error) {
	if err := editable(src); err != nil {
		return nil, err
	}
	docs, err := parse(src)
	if err != nil {
		return nil, err
	}
	return newFile(bytes.Clone(src), docs), nil
}

func newFile(src []byte, docs []*yaml.Node) *File {
	f := &File{src: src, docs: docs, lines: lineStarts(src), eol: "\n"}
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		f.eol = "\r\n"
	}
	return f
}

// Bytes returns the text with all edits so far. The caller must not change it.
func (f *File) Bytes() []byte { return f.src }

// editable refuses what is no YAML text, in words that say what it is.
func editable(src []byte) error {
	switch {
	case len(src) > MaxSize:
		return fmt.Errorf("the file has %d bytes; files over %d are not edited", len(src), MaxSize)
	case bytes.HasPrefix(src, []byte{0xff, 0xfe}), bytes.HasPrefix(src, []byte{0xfe, 0xff}):
		return errors.New("the file is UTF-16 text; save it as UTF-8")
	case bytes.IndexByte(src, 0) >= 0 || !utf8.Valid(src):
		return errors.New("the file is not UTF-8 text")
	}
	return nil
}

// parse decodes all documents. A text on which the parser gives up in a panic is
// an invalid one for us as well.
func parse(src []byte) (docs []*yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			docs, err = nil, fmt.Errorf("not valid YAML: %v", r)
		}
	}()
	for d := yaml.NewDecoder(bytes.NewReader(src)); ; {
		doc := new(yaml.Node)
		if err := d.Decode(doc); errors.Is(err, io.EOF) {
			return docs, nil
		} else if err != nil {
			return nil, fmt.Errorf("not valid YAML: %w", err)
		}
		docs = append(docs, doc)
	}
}

// apply makes the splices, which must not overlap, and keeps the outcome if it
// parses to f.docs, which the caller has changed to what the edit means.
func (f *File) apply(splices ...splice) error {
	src := spliced(f.src, splices)
	err := editable(src)
	if err == nil {
		err = f.check(src)
	}
	if err != nil {
		f.restore()
		return err
	}
	return nil
}

func (f *File) check(src []byte) error {
	docs, err := parse(src)
	if err != nil {
		return fmt.Errorf("the edit was given up because its outcome would be %w", err)
	}
	if len(docs) != len(f.docs) {
		return errors.New("the edit was given up because it would change how many documents the file has")
	}
	for i := range docs {
		if at := difference(f.docs[i], docs[i]); at != nil {
			return fmt.Errorf("the edit was given up because it would also change what stands at line %d", at.Line)
		}
	}
	*f = *newFile(src, docs)
	return nil
}

// restore undoes changes of f.docs after an edit that was given up.
func (f *File) restore() {
	if docs, err := parse(f.src); err == nil {
		f.docs = docs
	}
}

// difference returns the first node of got that is not the one of want: in kind,
// type, value, anchor or number of children.
func difference(want, got *yaml.Node) *yaml.Node {
	if want.Kind != got.Kind || want.Value != got.Value || want.Anchor != got.Anchor ||
		len(want.Content) != len(got.Content) || want.ShortTag() != got.ShortTag() {
		return got
	}
	for i := range want.Content {
		if at := difference(want.Content[i], got.Content[i]); at != nil {
			return at
		}
	}
	return nil
}

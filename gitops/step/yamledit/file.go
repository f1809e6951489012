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
	stale bool         // docs and lines are those of the text before the last edit
	only  *int         // the index of the one document that is looked at; nil: all
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

// reset makes the File one of another text. Which document is looked at stays.
func (f *File) reset(src []byte, docs []*yaml.Node) {
	only := f.only
	*f = *newFile(src, docs)
	f.only = only
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

// fresh makes docs and lines those of the text.
func (f *File) fresh() error {
	if !f.stale {
		return nil
	}
	docs, err := parse(f.src)
	if err != nil {
		return fmt.Errorf("the edited text cannot be read again: %w", err)
	}
	f.reset(f.src, docs)
	return nil
}

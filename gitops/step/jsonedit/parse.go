package jsonedit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/stagecoach-app/stagecoach/gitops/step/textedit"
)

// node is a value and where it stands.
type node struct {
	start, end int
	kind       byte   // '{', '[', or 0: a single value
	null       bool   // it is null
	items      []item // of an object or a list
}

type item struct {
	key              string // of an object
	keyStart, keyEnd int    // in a list both are where the value begins
	value            *node
}

// parse reads a text; nil when it holds nothing.
func parse(src []byte) (*node, error) {
	if err := textedit.Editable(src); err != nil {
		return nil, err
	}
	base := 0
	if bytes.HasPrefix(src, []byte(textedit.BOM)) {
		base = len(textedit.BOM)
	}
	text := src[base:]
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	if err := valid(text, base, src); err != nil {
		return nil, err
	}
	p := parser{src: src, base: base, tokens: json.NewDecoder(bytes.NewReader(text)), at: base}
	p.tokens.UseNumber()
	return p.value()
}

// valid judges all of the text at once: its depth is bounded, too.
func valid(text []byte, base int, src []byte) error {
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(text, new(json.RawMessage)); {
	case errors.As(err, &syntax):
		hint := ""
		if strings.Contains(syntax.Error(), "'/'") {
			hint = "; JSON has no comments"
		}
		return fmt.Errorf("not valid JSON: line %d: %w%s", textedit.Line(src, base+max(int(syntax.Offset)-1, 0)), err, hint)
	case err != nil:
		return fmt.Errorf("not valid JSON: %w", err)
	}
	return nil
}

// parser follows the tokens of a text that is valid.
type parser struct {
	src    []byte
	base   int
	tokens *json.Decoder
	at     int // where the last token ended
}

// token returns the next token and its place.
func (p *parser) token() (token json.Token, start, end int, err error) {
	start = p.at
	for start < len(p.src) && strings.IndexByte(" \t\r\n,:", p.src[start]) >= 0 {
		start++
	}
	token, err = p.tokens.Token()
	p.at = p.base + int(p.tokens.InputOffset())
	return token, start, p.at, err
}

func (p *parser) value() (*node, error) {
	token, start, end, err := p.token()
	if err != nil {
		return nil, fmt.Errorf("not valid JSON: %w", err)
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return &node{start: start, end: end, null: token == nil}, nil
	}
	n := &node{start: start, kind: byte(delim)}
	for p.tokens.More() {
		it, err := p.item(n.kind)
		if err != nil {
			return nil, err
		}
		n.items = append(n.items, it)
	}
	_, _, n.end, err = p.token()
	return n, err
}

func (p *parser) item(kind byte) (it item, err error) {
	if kind == '{' {
		var token json.Token
		if token, it.keyStart, it.keyEnd, err = p.token(); err != nil {
			return it, err
		}
		it.key, _ = token.(string)
	}
	if it.value, err = p.value(); err == nil && kind == '[' {
		it.keyStart, it.keyEnd = it.value.start, it.value.start
	}
	return it, err
}

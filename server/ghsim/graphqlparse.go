package ghsim

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// field is one field of a GraphQL selection. Fragments are not understood, but for inline ones, whose fields stand in their place.
type field struct {
	name, alias string
	args        map[string]any
	selection   []field
}

// graphQLToken takes the next token: a string, a number, a name with or without $, three dots, or one sign.
var graphQLToken = regexp.MustCompile(`^(?:[\s,]|#[^\n]*)*("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|\$?\w+|\.\.\.|[{}()\[\]:!=@|])`)

type graphQLParser struct {
	rest      string
	token     string
	variables map[string]any
	depth     int
}

var errGraphQL = errors.New("it is no GraphQL")

// parseGraphQL reads the first operation of a document.
func parseGraphQL(document string, variables map[string]any) (kind string, selection []field, err error) {
	defer func() {
		if recover() != nil {
			err = errGraphQL
		}
	}()
	p := &graphQLParser{rest: document, variables: variables}
	p.next()
	kind = "query"
	if p.token != "{" {
		kind = p.token
		for p.token != "{" {
			p.next()
			if p.token == "(" {
				p.skipVariables()
			}
		}
	}
	if kind != "query" && kind != "mutation" {
		return "", nil, fmt.Errorf("operations of the kind %q are unknown", kind)
	}
	return kind, p.selection(), nil
}

// next moves on. The end, and what is no token, ends the parsing.
func (p *graphQLParser) next() {
	m := graphQLToken.FindStringSubmatch(p.rest)
	if m == nil {
		panic(errGraphQL)
	}
	p.token, p.rest = m[1], p.rest[len(m[0]):]
}

// take moves on past a token that must be there.
func (p *graphQLParser) take(token string) {
	if p.token != token {
		panic(errGraphQL)
	}
	p.next()
}

// skipVariables leaves out the declaration of variables.
func (p *graphQLParser) skipVariables() {
	for p.token != ")" {
		p.next()
	}
	p.next()
}

// selection reads from { to }, and stays on the last.
func (p *graphQLParser) selection() (out []field) {
	if p.depth++; p.depth > 20 {
		panic(errGraphQL)
	}
	for p.take("{"); p.token != "}"; {
		if p.token == "..." {
			p.next()
			p.take("on")
			p.next()
			out = append(out, p.selection()...)
			p.next()
			continue
		}
		out = append(out, p.field())
	}
	p.depth--
	return out
}

func (p *graphQLParser) field() field {
	f := field{name: p.token, alias: p.token, args: map[string]any{}}
	if p.next(); p.token == ":" {
		p.next()
		f.name = p.token
		p.next()
	}
	if p.token == "(" {
		p.next()
		f.args = p.pairs(")")
		p.next()
	}
	if p.token == "{" {
		f.selection = p.selection()
		p.next()
	}
	return f
}

// pairs reads NAME: VALUE up to a sign, and stays on it.
func (p *graphQLParser) pairs(end string) map[string]any {
	out := map[string]any{}
	for p.token != end {
		name := p.token
		p.next()
		p.take(":")
		out[name] = p.value()
	}
	return out
}

// value reads one value and moves past it. A bare word is the value of an enumeration.
func (p *graphQLParser) value() any {
	token := p.token
	switch {
	case token == "{":
		p.next()
		out := p.pairs("}")
		p.next()
		return out
	case token == "[":
		out := []any{}
		for p.next(); p.token != "]"; {
			out = append(out, p.value())
		}
		p.next()
		return out
	}
	p.next()
	if name, is := strings.CutPrefix(token, "$"); is {
		return p.variables[name]
	}
	if text, err := strconv.Unquote(token); err == nil {
		return text
	}
	if n, err := strconv.ParseFloat(token, 64); err == nil {
		return n
	}
	switch token {
	case "true", "false":
		return token == "true"
	case "null":
		return nil
	}
	return token
}

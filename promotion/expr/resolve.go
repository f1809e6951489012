package expr

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"
)

// Resolve evaluates vars, which may refer to each other in any order, and to
// env.Vars under them. It gives env.Vars with vars on top.
//
// A var that refers to its own name means the one under it.
func Resolve(vars map[string]json.RawMessage, env Env) (map[string]json.RawMessage, error) {
	ev, err := newEvaluation(env)
	if err != nil {
		return nil, err
	}
	return ev.resolve(vars)
}

func (ev *evaluation) resolve(vars map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	order, err := inOrder(vars, ev.env.Vars)
	if err != nil {
		return nil, err
	}
	resolved := map[string]json.RawMessage{}
	maps.Copy(resolved, ev.env.Vars)
	known := ev.scope["vars"].(namespace)
	for _, name := range order {
		if resolved[name], err = ev.value(vars[name]); err != nil {
			return nil, at(err, "vars."+name)
		}
		if known[name], err = decode(resolved[name]); err != nil {
			return nil, at(err, "vars."+name)
		}
	}
	return resolved, nil
}

// inOrder sorts vars so that each comes after those that it refers to.
func inOrder(vars, under map[string]json.RawMessage) ([]string, error) {
	s := sorter{vars: vars, under: under, done: map[string]bool{}}
	for _, dynamic := range []bool{false, true} {
		for _, name := range sortedKeys(vars) {
			if _, computed := references(vars[name]); computed == dynamic {
				if err := s.add(name); err != nil {
					return nil, err
				}
			}
		}
	}
	return s.order, nil
}

type sorter struct {
	vars, under map[string]json.RawMessage
	done        map[string]bool
	path, order []string
}

func (s *sorter) add(name string) error {
	if s.done[name] {
		return nil
	}
	if i := slices.Index(s.path, name); i >= 0 {
		cycle := append(slices.Clone(s.path[i:]), name)
		return fmt.Errorf("vars refer to each other in a circle: %s", strings.Join(cycle, " → "))
	}
	s.path = append(s.path, name)
	names, _ := references(s.vars[name])
	for _, other := range names {
		_, below := s.under[other]
		if _, ours := s.vars[other]; !ours || other == name && below {
			continue
		}
		if err := s.add(other); err != nil {
			return err
		}
	}
	s.path = s.path[:len(s.path)-1]
	s.done[name] = true
	s.order = append(s.order, name)
	return nil
}

// references are the vars that a value's expressions name. computed means that
// there may be more, whose names only evaluation tells: such a value comes last.
func references(raw json.RawMessage) (names []string, computed bool) {
	f := finder{}
	value, err := decodeLiteral(raw)
	if err != nil {
		return nil, false
	}
	f.value(value)
	slices.Sort(f.names)
	return slices.Compact(f.names), f.uses > f.named
}

// finder looks for vars.NAME in syntax trees.
type finder struct {
	names       []string
	uses, named int // of the name vars; those with a fixed member
}

func (f *finder) value(value any) {
	switch v := value.(type) {
	case string:
		f.template(v)
	case []any:
		for _, item := range v {
			f.value(item)
		}
	case map[string]any:
		for _, item := range v {
			f.value(item)
		}
	}
}

func (f *finder) template(s string) {
	parts, err := parse(s)
	if err != nil {
		return // evaluation will say so
	}
	for _, p := range parts {
		if !p.expression || readable(p.text) != nil {
			continue
		}
		if tree, err := parser.Parse(p.text); err == nil {
			ast.Walk(&tree.Node, f)
		}
	}
}

// Visit is called for each node.
func (f *finder) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if n.Value == "vars" {
			f.uses++
		}
	case *ast.MemberNode:
		base, isName := n.Node.(*ast.IdentifierNode)
		name, fixed := n.Property.(*ast.StringNode)
		if isName && fixed && base.Value == "vars" {
			f.named++
			f.names = append(f.names, name.Value)
		}
	}
}

package expr

import (
	"slices"

	"github.com/expr-lang/expr/ast"
)

// The functions that guard puts into a program. No expression can spell their
// names.
const (
	fnMember    = "member access"
	fnSpend     = "spend units"
	fnSpendMore = "spend more units"
)

// marker is the first pass over a syntax tree: it collects what may be missing
// and which names `let` declares.
type marker struct {
	lenient  map[ast.Node]bool
	declared map[string]bool
	called   map[ast.Node]bool // names that stand in front of (
}

func newMarker() *marker {
	return &marker{lenient: map[ast.Node]bool{}, declared: map[string]bool{}, called: map[ast.Node]bool{}}
}

// Visit sees children before their parents.
func (m *marker) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.VariableDeclaratorNode:
		m.declared[n.Name] = true
	case *ast.CallNode:
		m.called[n.Callee] = true
	case *ast.BinaryNode:
		if n.Operator == "??" {
			m.chain(n.Left)
		}
	case *ast.MemberNode:
		if n.Optional {
			m.lenient[n.Node] = true
		}
		if n.Optional || m.afterOptional(n.Node) {
			m.lenient[n] = true
		}
	}
}

// chain marks all that stands in front of ??.
func (m *marker) chain(node ast.Node) {
	m.lenient[node] = true
	switch n := node.(type) {
	case *ast.ChainNode:
		m.chain(n.Node)
	case *ast.MemberNode:
		m.chain(n.Node)
	case *ast.CallNode:
		m.chain(n.Callee)
	case *ast.BinaryNode:
		if n.Operator == "??" {
			m.chain(n.Right)
		}
	}
}

// afterOptional reports whether a chain holds ?. up to here: what follows it is
// left out when nothing is there.
func (m *marker) afterOptional(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.MemberNode:
		return n.Optional || m.afterOptional(n.Node)
	case *ast.CallNode:
		return m.afterOptional(n.Callee)
	}
	return false
}

// guard is the second pass: it resolves names, makes member access strict, and
// lets every operation pay.
type guard struct {
	marks     *marker
	variables map[string]any
	functions map[string]*function
	unknown   *ast.IdentifierNode // the first one
	document  bool                // see Document: a name that is not there is null
}

// Visit sees children before their parents.
func (g *guard) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		g.identifier(node, n)
	case *ast.MemberNode:
		lenient := &ast.BoolNode{Value: g.marks.lenient[n]}
		ast.Patch(node, call(fnMember, n.Node, n.Property, lenient))
	case *ast.BinaryNode:
		g.binary(node, n)
	case *ast.PredicateNode:
		n.Node = paid(fnSpend, n.Node)
	case *ast.BuiltinNode:
		payAll(n.Arguments)
		if n.Name == "uniq" && len(n.Arguments) == 1 {
			n.Arguments[0] = paid(fnSpendMore, n.Arguments[0])
		}
		ast.Patch(node, paid(fnSpend, n))
	case *ast.CallNode:
		payAll(n.Arguments)
		ast.Patch(node, paid(fnSpend, n))
	case *ast.ArrayNode, *ast.MapNode, *ast.SliceNode:
		ast.Patch(node, paid(fnSpend, n))
	}
}

func (g *guard) identifier(node *ast.Node, n *ast.IdentifierNode) {
	_, variable := g.variables[n.Value]
	switch {
	case n.Value == "null":
		ast.Patch(node, &ast.NilNode{})
	case g.document && n.Value == "$env":
		ast.Patch(node, &ast.IdentifierNode{Value: varDocument})
	case variable || g.marks.declared[n.Value] || g.functions[n.Value] != nil && g.marks.called[n]:
	case g.marks.lenient[n], g.document && !g.marks.called[n]:
		ast.Patch(node, &ast.NilNode{})
	case g.unknown == nil:
		g.unknown = n
	}
}

func (g *guard) binary(node *ast.Node, n *ast.BinaryNode) {
	if slices.Contains([]string{"&&", "||", "and", "or", "??"}, n.Operator) {
		return
	}
	n.Left, n.Right = paid(fnSpend, n.Left), paid(fnSpend, n.Right)
	switch n.Operator {
	case "matches":
		n.Left = paid(fnSpendMore, n.Left)
	case "+", "..":
		ast.Patch(node, paid(fnSpend, n))
	}
}

func payAll(nodes []ast.Node) {
	for i := range nodes {
		nodes[i] = paid(fnSpend, nodes[i])
	}
}

// paid wraps a node so that its value is paid for. Literals cost nothing; a
// predicate pays in its body.
func paid(function string, n ast.Node) ast.Node {
	switch n.(type) {
	case *ast.NilNode, *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.StringNode, *ast.ConstantNode, *ast.PredicateNode:
		if function == fnSpend {
			return n
		}
	}
	wrapped := call(function, n)
	wrapped.SetLocation(n.Location())
	return wrapped
}

func call(function string, arguments ...ast.Node) *ast.CallNode {
	return &ast.CallNode{Callee: &ast.IdentifierNode{Value: function}, Arguments: arguments}
}

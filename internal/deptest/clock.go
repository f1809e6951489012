package deptest

import (
	"go/ast"
	"slices"
	"testing"
)

// NoClock fails where a file of the room, tests apart, uses one of the names of
// package time: reads the time, waits for it, or asks which zone the machine is in.
func NoClock(t testing.TB, names ...string) {
	t.Helper()
	for name, file := range Files(t) {
		ast.Inspect(file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && slices.Contains(names, sel.Sel.Name) {
				if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "time" {
					t.Errorf("%s uses time.%s", name, sel.Sel.Name)
				}
			}
			return true
		})
	}
}

// NoGoroutine fails where a file of the room, tests apart, starts a goroutine.
func NoGoroutine(t testing.TB) {
	t.Helper()
	for name, file := range Files(t) {
		ast.Inspect(file, func(n ast.Node) bool {
			if _, ok := n.(*ast.GoStmt); ok {
				t.Errorf("%s starts a goroutine", name)
			}
			return true
		})
	}
}

// Package deptest holds a room to what it may import. Each room calls it from its
// own deps_test.go, where its rule stands: its row of docs/architecture.md.
//
// All functions may be called at the same time; they read the files of the directory
// that a test runs in, which is that of its package.
package deptest

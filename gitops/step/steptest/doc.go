// Package steptest holds a workspace in memory for tests of steps and of what
// runs them.
//
// A Workspace is for one goroutine at a time.
package steptest

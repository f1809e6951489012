// Package worktree shows the working tree of a local clone to the editing steps,
// offline: what they would change is kept in memory, told as a unified diff, and
// written to the working tree only by Write.
//
// What holds: Open and all reads change nothing; links are not followed out of
// the tree; Write writes what Changes lists and nothing else. A Tree is for one
// goroutine.
package worktree

// Package plan runs a stage's file-editing steps over the working tree of a
// local clone, or over the tip of a branch, offline, and tells what they would
// change. Steps that would reach outside are not run, and say so.
package plan

// Package promotiontest helps to test the core and what stands on it: builders
// for pipelines and states, and a World that runs effects against a small model
// of GitHub, with answers lost and effects that fail.
//
// A World is used by one goroutine at a time.
package promotiontest

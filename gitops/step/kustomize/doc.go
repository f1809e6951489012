// Package kustomize holds the step kustomize-build: Kustomize's own library over
// the workspace. Importing it registers the step; it is a package of its own
// because the library is large.
//
// A build reads the workspace alone. Kustomize would fetch remote bases by
// running git, and remote files by a client that asks nobody; both are refused
// before it sees them, in every kustomization and in every config of a plugin
// that it reads. Plugins other than the built-in ones, and the helm program, are off.
//
// Links are followed inside the workspace and nowhere else. What one build may
// read is bounded, repetitions and aliases counted, which bounds its time and
// memory; past a deadline every further read fails.
//
// The library keeps global state, so builds of one process run one after another.
package kustomize

// Package kustomize holds the step kustomize-build: Kustomize's own library over
// the workspace. Importing it registers the step; it is a package of its own
// because the library is large.
//
// A build reads the workspace, and what its kustomizations name elsewhere, where
// the step's Remote.Bases allows that. Kustomize would fetch remote bases by
// running git, and remote files by a client that asks nobody; so what `resources`
// and `components` name elsewhere is fetched before, and shown to it as if it stood
// beside the workspace, each at one commit. Everywhere else addresses are refused
// before it sees them, in every kustomization and in every config of a plugin
// that it reads. A base elsewhere cannot lead out of its repository. Plugins other
// than the built-in ones, and the helm program, are off.
//
// A kustomization of the workspace may name files anywhere in it, beside and above its
// own folder, as Kargo builds and as
// `kustomize build --load-restrictor LoadRestrictionsNone` does. Links are followed inside a
// repository and nowhere else. What one build may
// read is bounded, repetitions and aliases counted, which bounds its time and
// memory; past a deadline every further read fails.
//
// The library keeps global state, so builds of one process run one after another.
// What they read is read before, side by side. The library also writes to the log
// and to standard error, and ends the process where it knows no better: its
// warnings become part of the step's message, and its end an error.
package kustomize

// Package runner runs the core's effects: steps on files and branches by gitops,
// everything else by the GitHub API. It also reads the pipeline files.
//
// # What holds when Run returns
//
// A step's result holds all that is needed to do without it: the files it
// wrote, what it read, which commits stand in the workspace. From these records
// the workspace is built again for the next step, after a crash as well as in
// live running, so there is one way. Errors are in the words of
// promotion/errors.go.
//
// All methods may be called at the same time.
package runner

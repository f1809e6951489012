// Package gitopstest serves bare repositories by the git binary over HTTP, on
// loopback, as GitHub serves them: with filters, objects by hash, and checks of
// what is pushed. Tests and benchmarks of gitops speak to it.
//
// # What holds when a call returns
//
// New: the server answers, and every request without Token is refused. Close:
// nothing of it runs any more; the folder stays.
//
// All methods may be called at the same time.
package gitopstest

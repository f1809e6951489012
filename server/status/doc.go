// Package status says from GitHub alone where the promotions of a repository stand:
// the record in its tracking issue, and its pipeline files for the stages that the
// record does not know yet. No server need be running.
//
// What holds when a call returns: nothing was changed anywhere, and nothing is left
// on disk. What could not be read is an error or one of the problems, never taken for
// absent. Everything may be called by several goroutines at the same time.
package status

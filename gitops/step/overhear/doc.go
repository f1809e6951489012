// Package overhear takes up what a library writes to Go's standard log, by package
// log or slog, so that it becomes part of a step's message and no line of the server's.
//
// A line belongs to the goroutine that writes it. What others write goes where it
// went before. Several goroutines may listen at the same time.
package overhear

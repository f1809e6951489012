// Package config turns bytes into values: pipeline files into pipelines, and
// the server's file and environment into settings. It is strict: what it does
// not understand is an error with file, line, column and the nearest right word,
// and what this version does not build is refused in words, never ignored.
//
// What holds when a call returns: a pipeline is given only when no diagnostic is
// an error; then every name in it exists, the stages have no cycle, and each
// step's config fits its table, but for what expressions will give. All that is
// wrong is reported at once, in the order of the file. Settings are given only
// when all of them are right; no secret stands in an error, in a log or in text.
//
// Functions of this package may be called at the same time and change none of
// their arguments.
package config

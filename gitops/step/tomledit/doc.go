// Package tomledit changes values in TOML text and leaves every other byte as it
// was: comments, blank lines, quotes, the order and form of tables.
//
// It takes the bytes of a value from the parser of go-toml
// (https://pkg.go.dev/github.com/pelletier/go-toml/v2/unstable), whose interface
// is not promised to stay; this package is the one place that uses it. It
// replaces those bytes, reads old and new text with the stable part, and keeps
// the outcome if it is the old value with nothing else changed.
//
// When a call returns nil the File holds the edited text. When it returns an
// error the File is as it was. A File is for one goroutine at a time.
package tomledit

// Package yamledit changes values in YAML text and leaves every other byte as
// it was: comments, blank lines, quotes, anchors, line ends, indentation.
//
// It parses the text for the positions of its values, splices the bytes of the
// one to be changed, parses the outcome again and compares it with what the edit
// meant. An edit whose outcome differs in anything else is refused with an error
// that names the line; nothing is guessed.
//
// When a call returns nil the File holds the edited text and its Bytes parse to
// exactly the intended values. When it returns an error the File is as it was.
//
// Strings are written so that readers of YAML 1.1 (Helm, Kubernetes, PyYAML) and
// of YAML 1.2 take them for strings: "1.10", "yes", "0123", "" get quotes.
//
// A File is for one goroutine at a time. Distinct Files share nothing.
package yamledit

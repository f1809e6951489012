// Package jsonedit changes values in JSON text and leaves every other byte as it
// was: indentation, the order and spelling of keys, numbers of any size.
//
// It finds the bytes of a value by the offsets that encoding/json gives for its
// tokens, replaces them, parses the outcome again and compares it with what the
// edit meant. Invalid JSON, comments included, is refused.
//
// When a call returns nil the File holds the edited text. When it returns an
// error the File is as it was. A File is for one goroutine at a time.
package jsonedit

// Package textedit holds what the editors of JSON, TOML and HCL share: which
// texts they take, how bytes are replaced, and how a key that is not there is
// said, with the nearest one that is.
//
// Its functions keep nothing and may be called at the same time.
package textedit

package promotion

import "errors"

// APICommit is a commit that GitHub makes through its API, and signs, in place of
// one that is pushed: `commits: {verified: true}`.
type APICommit struct {
	Branch   string
	Old      string // the tip that the branch must have; empty: it must not exist, and is made
	Parent   string // empty: history begins
	BaseTree string // the parent's tree; empty: none
	Tree     string // what BaseTree with Files must come to
	Files    []File // what changes, with whole contents, or the blob that holds one
	Message  string
	// Loose: the commit is made, and the branch stays where it is. A push moves it,
	// because the API compares nothing where it does not only go forward.
	Loose bool
}

// ErrNotByAPI means that the API cannot carry a commit: it is pushed, unsigned.
var ErrNotByAPI = errors.New("GitHub's API cannot carry this commit")

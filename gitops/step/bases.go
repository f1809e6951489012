package step

import "context"

// Bases reaches what kustomizations name elsewhere. Errors that trying again cannot
// help are Terminal.
type Bases interface {
	// Allowed is nil where the operator lets kustomizations name an address, which
	// is a URL without its query; else it says what to do.
	Allowed(url string) error
	// Open opens a commit of a git repository, to be read: that of ref, a branch, a
	// tag or a commit, or of the default branch.
	Open(ctx context.Context, url, ref string) (ws Workspace, commit string, err error)
	// File gets a file that has at most so many bytes.
	File(ctx context.Context, url string, most int64) ([]byte, error)
}

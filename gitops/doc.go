// Package gitops does Stagecoach's git work, among objects: it reads trees,
// writes blobs, writes a commit with an explicit parent, and moves a branch by
// compare-and-swap. There is no work tree and no git binary.
//
// # What is on disk
//
// Engine keeps one bare clone per repository, <dir>/<repository id>.git, that
// git itself accepts (git calls it a partial clone). It holds what was fetched
// and nothing else: promotions write nothing into it. What is lacking is
// fetched by hash when it is read. It is a cache: the remote is always right,
// and a damaged pack is thrown away and fetched again.
//
// # What holds when a call returns
//
//   - Fetch: the commits and their root trees are in the clone. Nothing was
//     asked when they were there (TestWarmFetchAsksOnce).
//   - Commit: nothing outside changed. The same workspace, parent, message and
//     time give the same commit (TestCommitIsDeterministic).
//   - Push and Deliver, nil error: the commit, or the one adopted in its place,
//     is on the branch, and nobody's commit was lost (TestEightPushers).
//   - Push and Deliver, error: the branch is untouched, unless the answer got
//     lost on the way; the next call sets PushRequest.Look and then finds and
//     adopts what landed (TestLostAnswer).
//   - any call, after its context ended: it returned promptly with the context's
//     error, also from a server that hangs (TestCancel).
//
// Errors are in the words of promotion/errors.go; those without a mark may be
// tried again. No error holds a token.
//
// # What may be called at the same time
//
// Everything of Engine and Repository, by any number of goroutines, and several
// handles of one repository. A Workspace belongs to one goroutine at a time.
// Only one process may use a directory.
package gitops

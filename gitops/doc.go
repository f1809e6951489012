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
// and what is damaged, or of another version, is thrown away and fetched again.
// Small packs are merged, a clone that has grown for long begins anew, and all
// clones together stay below Options.Disk: those used least recently are
// emptied. On a full disk promotions go on from memory.
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
//     adopts what landed (TestKilledInThePush).
//   - UpdateRefs: each update has an answer of its own, also when all travelled
//     in one push and a rule refused one of them (TestOneRefusedBranchFailsAlone).
//   - PushTag, nil error: the tag is at its commit, made by us or by somebody else.
//     One at another commit was not moved (TestPushTag).
//   - any call, after its context ended: it returned promptly with the context's
//     error, also from a server that hangs (TestCancel).
//
// Files of any size may lie in a repository, and be placed elsewhere by their hash
// (TestHugeFilesAreCopied); one that is read may have 32 MiB.
//
// Errors are in the words of promotion/errors.go; those without a mark may be
// tried again. No error holds a token.
//
// # What may be called at the same time
//
// Everything of Engine and Repository, by any number of goroutines, and several
// handles of one repository. What they ask for at once travels together: objects
// in one fetch, branches in one push. A Workspace belongs to one goroutine at a
// time. One Engine uses a directory at a time; New refuses a second one, of
// another process too.
package gitops

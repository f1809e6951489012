// Package ledger turns a repository's state into the tracking issue's body and
// back, and writes the other texts that people read on GitHub: the promotion
// pull request, the check run's summary, answers to commands.
//
// Nothing here waits, reads a clock or touches the network: the same state gives
// the same text. All functions may be called at the same time; none changes what
// it was given.
//
// # The record
//
// A body is Markdown for people and then one hidden line:
//
//	<!-- stagecoach-ledger VERSION REPO ISSUE REVISION PARTS DATA MAC -->
//
// DATA is the state without Local, as JSON, compressed, in base64 with an
// alphabet that cannot end an HTML comment. What does not fit goes into overflow
// comments, written before the body; PARTS names them by hash. MAC is HMAC-SHA-256
// over the line up to it, so a record is bound to its repository, its issue, its
// revision, its version and its parts. The form of this line stays the same in
// later versions: that is how an older binary knows that a record is newer, and
// genuine, and leaves it alone. Records of older versions are read; written again
// they have the version of now. testdata holds one of each.
//
// A person who edits the text for people changes no record. One who edits the
// line breaks its signature. One who puts an older line back gives a valid but
// lower revision: the caller compares it with the revision it knows.
//
// # The first write of a new issue
//
// An issue has no number before it exists, and creating it shall cost one write.
// So its first body is signed for issue 0, which every reader of the repository
// can copy. Decode takes such a record only when the caller says that the issue
// is the app's own (its author is the app's bot, which nobody else can make so)
// and returns the state with the number, so that the next write binds it.
// A copy in anybody else's issue is refused. A copy in one of ours can only be
// made by who may edit it, who could as well put back any older body of it: both
// are older revisions of this repository's own record, and both lose against the
// revision that the store holds, or, without a store, against the higher one.
//
// # Outside text
//
// Commit titles, pull request titles, logins, reasons, step messages and problems
// quote what others wrote. Each passes through Harmless or its relatives: it
// notifies nobody, references and closes nothing, and is no markup.
package ledger

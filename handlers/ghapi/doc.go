// Package ghapi is the way out to GitHub: it runs the core's effects over the
// REST API, reads what they need, and keeps the ledger in its tracking issue.
// GitHub's words come in here and leave as the core's.
//
// # What holds when a call returns
//
//   - An effect has an identity that GitHub keeps: the head branch of a pull
//     request, the external_id of a check run, a hidden marker in a comment, the
//     kind of a reaction. Run does it without a read. Only when Effect.Look says
//     that an earlier try's answer is missing, Run looks for its trace first and
//     adopts it; where GitHub keeps nothing unique and its lists lag (comments,
//     check runs), not within [listLag] of Effect.SentAt.
//   - Errors are in the core's words, see errors.go: a rate limit is a wait of
//     the length that GitHub told, a missing permission, a suspension or an
//     archived repository is a promotion.MissingPermission, what cannot heal is
//     Terminal, and everything else may be tried again.
//   - What somebody may do is told also where their teams cannot be read for lack of
//     a permission, with the reason (Result.TeamsUnread): no command waits for it.
//   - A write never follows a redirect as a read, and no request with a token
//     leaves the API's host.
//   - Reads are conditional: each asks GitHub whether the cached answer still
//     holds, and an unchanged one costs nothing of the rate limit. Nothing is
//     answered from the cache alone. A token lives for an hour and GitHub's ETags
//     end with it: the first read after that is a full one, never an old one.
//   - Requests of an installation are spaced (pace.go), and the last part of each limit
//     is kept for what people wait for: reactions, answers, permissions, promotions
//     that somebody asked for, and the ledger that a command waits for. What would
//     wait long is told until when, and waits outside.
//
// # Clients
//
// Each installation has its own client, token, cache and pace; one that is
// rate limited holds up no other. They are made when first needed, and the
// longest unused are forgotten beyond [mostAccounts]. Tokens live in memory alone.
//
// All methods of API may be called at the same time. SaveLedger of one
// repository must not be: the last write wins on GitHub.
package ghapi

// Package ghsim is a simulated GitHub: REST as a GitHub App and as a person, signed webhooks, git over smart
// HTTP, and the little GraphQL that REST cannot replace, served by one http.Handler. It is for tests and for the demo;
// the product talks to it as to any GitHub Enterprise Server (web at /, REST at /api/v3/, GraphQL at /api/graphql;
// REST is also answered without that prefix).
//
// It behaves like GitHub also where that is inconvenient: App JWTs are verified, permissions are enforced, lists
// are paged, mergeability is unknown at first, an over-long issue body is kept out with a 200, an App hears of its own
// doing, rules hold merges and pushes back in GitHub's words. It serves what the product and those who work beside it
// call, and nothing else. Only the standard library and a JWT verifier stand behind it, none of the client libraries
// of the product, so that both cannot share a mistake. The git side is the real git binary over bare repositories
// below Options.Dir, cut off from the user's own git configuration.
//
// Three kinds of calls move it:
//   - Who works on GitHub: Person (Sim.As) and Bot (Sim.AddBot, Sim.AsInstallation). They act by REST and git with
//     credentials of their own, so that what they may not do is refused; Do reaches any route.
//   - Who administers: methods of Sim such as SetPermission, AddTeam, AddRuleset, Suspend, TransferRepo.
//   - What goes wrong: switches, all off at first. Requests: Fault, SetRateLimit, SetSecondary, SetLimitAnswers, BlockFor,
//     SetListLag, SetReadLag, SetTokenLag, SetMergeableDelay, SetClock, RevokeTokens, SetGraphQL. Webhooks: DropWebhooks, LoseWebhooks,
//     DuplicateWebhooks, DelayWebhooks, HoldWebhooks, PauseWebhooks with ShuffleWebhooks, SendEvent.
//
// What holds when a call returns:
//   - A mutating call, by HTTP or by method, is visible to every later read, unless a lag is switched on, and its webhooks
//     are queued. What GitHub itself does in consequence, an auto-merge or a step of the merge queue, WaitIdle waits for.
//   - Webhooks of one repository are sent one after the other in the order of their causes, never retried, unless a
//     switch says otherwise.
//   - Requests and Counts include every request whose answer a client could have seen.
//   - After Close nothing runs: no goroutine, no git process of a method.
//
// All methods and the handler may be used at the same time from any goroutine. Data lives in memory under one
// mutex; methods called from a callback (OnRequest, the conditions of webhook switches, a fault's Match) must not wait
// for a request or delivery of the same simulator.
package ghsim

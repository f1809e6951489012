// Package ghsim is a simulated GitHub: REST as a GitHub App and as a person, signed webhooks, and git over smart
// HTTP, served by one http.Handler. It is for tests and for the demo; the product talks to it as to any GitHub
// Enterprise Server (web at /, REST at /api/v3/; REST is also answered without that prefix).
//
// It behaves like GitHub also where that is inconvenient: App JWTs are verified, permissions are enforced, lists
// are paged, mergeability is unknown at first, an over-long issue body is kept out with a 200, an App hears of its own
// doing. It serves what the product calls and nothing else. Only the standard library and a JWT verifier stand
// behind it, none of the client libraries of the product, so that both cannot share a mistake. The git side is
// the real git binary over bare repositories below Options.Dir, cut off from the user's own git configuration.
//
// What holds when a call returns:
//   - A mutating call, by HTTP or by method, is visible to every later read, and its webhooks are queued.
//   - Webhooks of one repository are sent one after the other in the order of their causes, never retried.
//   - Requests and Counts include every request whose answer a client could have seen.
//   - After Close nothing runs: no goroutine, no git process of a method.
//
// All methods and the handler may be used at the same time from any goroutine. Data lives in memory under one
// mutex; methods called from a callback (OnRequest, DropWebhooks, LoseWebhooks, a fault's Match) must not wait
// for a request or delivery of the same simulator.
package ghsim

// Package sweep finds what GitHub did not bring: deliveries that failed, which are
// asked for again, and what no delivery tells of, which is looked for.
//
//   - Every minute one request lists the deliveries that failed, for the whole App;
//     more only when more failed. Those that the event log does not have are sent
//     again: at once, then after twice the time each time that they fail again.
//   - Once a day each repository with a pipeline is compared with git, at a time of
//     its own, by its ref advertisement, which GitHub does not count. Only one that
//     moved is looked at. One that the app no longer reaches is forgotten.
//   - When nothing is known of the past (an empty disk), or when it is longer ago than
//     GitHub sends again, every repository of every installation is looked at, those
//     with a pipeline first, PerSecond of them.
//
// # What holds
//
//   - Of the processes that share a store one sweeps: a memo with a holder and an
//     expiry, replaced by compare-and-swap. When it dies another takes over within
//     Lease. One that was frozen finds its memo taken, and stops.
//   - Progress is in that memo: what was not dealt with before a crash is found again.
//     Doing it twice is doing it once, since the log knows the GUIDs.
//   - What it finds comes in through the event log, like everything else.
//   - A rate limit is waited for as long as told; the duty is kept meanwhile.
//
// Run may be called once. It returns when its context ends, with nothing left behind.
package sweep

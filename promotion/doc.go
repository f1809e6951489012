// Package promotion is the core of Stagecoach: what freight is, which promotion
// may run next, and what has to be done for it. It does no I/O, reads no clock,
// and imports nothing but the standard library.
//
// [Advance] is a pure function: a state, inputs and a time give the next state,
// the effects to run, and the time of the next wake. It never changes the state
// it was given, so a caller whose save fails still holds what was true before.
// All functions may be called at the same time; values must not be changed while
// another goroutine reads them.
//
// # The life of a promotion
//
//	           its turn           a step waits
//	queued ───────────▶ running ───────────────▶ waiting
//	  │                  │  ▲                      │
//	  │                  │  └──────────────────────┤ an event or a timer
//	  ▼                  ▼                         ▼
//	superseded,      succeeded, failed, errored, aborted, rejected
//	aborted
//
// A queued promotion is moved by its turn, a running one by the result of the
// step under way, a waiting one by an outside event or a timer. After a crash
// each is found where it was: the saved state holds the effects that have no
// result yet, and those are looked for outside before they are sent again.
//
// # What holds when Advance returns
//
//   - Per stage at most one promotion has started and not ended (promise 1).
//   - What a promotion's end makes possible is already under way (promise 3).
//   - Every effect of the new state that has no result is in State.Local.Pending.
//   - The same input again changes nothing: names, effects and comments have
//     identities that derive from their cause.
//
// advance_test.go and the random schedules in schedule_test.go hold these.
package promotion

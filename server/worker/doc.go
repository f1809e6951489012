// Package worker brings repositories forward: one lane each, in which events
// are taken, translated, given to the core, and followed by effects.
//
// # A lane
//
// A lane belongs to one repository and to one goroutine. It takes all pending
// deliveries at once, lets the core decide, saves the state, and only then runs
// the effects, side by side; their results go back into the core one by one, and
// new deliveries are taken meanwhile. When nothing is under way the tracking
// issue is written once, the last answers are sent, the wake is set, and the
// deliveries are acknowledged. Lanes never wait for each other.
//
// # What holds
//
//   - An effect runs only when the state that holds its intent is saved.
//   - A step's files and output are recorded before the core hears of them, so
//     that it never runs twice.
//   - A delivery is acknowledged only when the state holds what it said, and a
//     wake is set for what is still to be done.
//   - When saving fails, the lane forgets what it had in memory and the deliveries
//     come again; live running and recovery use the same code.
//   - Stop lets effects under way end, as long as it is given time.
//
// Deliver and Stop may be called from any goroutine.
package worker

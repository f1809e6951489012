// Package store keeps what one machine must not forget between two events: the
// working copies of ledgers, the records of steps, the index of repositories, sessions
// of the dashboard, and memos that the processes which share it keep together. All of
// it is in one JetStream key-value bucket.
//
// What holds:
//
//   - What Save, Record or PutRepo returned nil for is synced to disk. After an error
//     the store is as it was, or, when the answer alone was lost, has the new value;
//     a Save that is tried again then returns ErrLost, and a Load shows which.
//   - A state or a memo is replaced only by who names its revision: of several writers one
//     wins, and the others get ErrLost and change nothing.
//   - The first record of a promotion's attempt and step stays. A second one
//     changes nothing and returns ErrRecorded.
//   - A session is gone when its time is over, and once dropped it does not come back.
//   - Reads of states and records see every write that was answered before, also
//     those of other processes. The index is served from memory: this process's
//     writes at once, those of others within moments.
//   - A value of any size is stored whole or not at all. What exceeds the server's
//     limit is in pieces, written before the value that names them and removed
//     after it was replaced.
//
// It is a cache in this sense: a lost store is rebuilt from GitHub.
//
// All methods may be called at the same time, Close but last. A state that was saved or
// loaded must not be changed: the next save of it takes what both share for unchanged.
//
// # Keys
//
//	state.<repository>
//	step.<repository>.<promotion>.<attempt>.<step>
//	repo.<repository>
//	memo.<name>
//	session.<name>
//	<any of them>.p.<set>.<number>     a piece
//
// A promotion's name is one token: its dots are written "=".
package store

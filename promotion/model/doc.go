// Package model plays the core against a small model of GitHub and judges what
// came of it by the promises of the design.
//
// A [Schedule] is a config and what happens, as small numbers: it is drawn from
// a seed, read from a fuzzer's bytes, printed for people and shrunk. Play plays
// one: people push, comment, review, merge and meddle on the hub; the hub's
// deliveries get lost, late, doubled and out of order; the server, which holds a
// store, a ledger and what runs just now, loses answers, crashes between any two
// writes, and loses its disk. It returns the first promise that was broken.
//
// What is right is said in rules*.go, from the hub and the inputs: who pushed,
// landed and agreed when, which checks were green, which marks people had set.
// Nothing there is taken from the core's own judgement of a gate. Where the core
// may not know yet what the hub holds (a delivery is under way), a rule asks for
// the weaker thing that must hold all the same; at rest it asks for everything.
//
// All functions may be called at the same time; a schedule is played by one
// goroutine.
package model

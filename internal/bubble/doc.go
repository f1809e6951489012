// Package bubble runs tests with a NATS server in a bubble of testing/synctest, where
// hours pass at once.
//
// What holds: f runs once, in a process of its own, and the test fails when it does.
// Nothing that f leaves in memory is seen by another test; such tests may be parallel.
package bubble

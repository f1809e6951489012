// Command crashtest is the server with a death in the middle: it kills itself
// with SIGKILL before or after its n-th write into the store or the event log.
// It is configured by the environment, as stagecoach serve is; the tests of
// server start it, restart it, and look whether the story ends as it should.
//
// What counts as a write is each call that makes something durable: a saved
// state, a step's record, the index of repositories, and each event that is
// accepted, acknowledged, tried again or set. Writes are counted in the order in
// which they begin; several may be under way at the same time.
//
// With -nats it is a NATS server instead, for tests of several replicas that kill
// that too.
package main

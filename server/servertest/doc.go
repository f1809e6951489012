// Package servertest puts a Stagecoach and a simulated GitHub on loopback, for
// tests that play whole stories over real HTTP and git.
package servertest

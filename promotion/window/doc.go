// Package window judges time windows: when promotions may start and merge.
//
// A window is written by people, see Window. Nothing here reads a clock: the
// time is given. All functions may be called at the same time.
package window

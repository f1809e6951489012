// Package window judges time windows: when promotions may start and merge.
//
// A window is written by people, see [Window]. It allows or denies times by the
// clock of a time zone:
//
//	Mon-Fri 09:00-17:00      on these days; days may wrap the week's end (Fri-Mon)
//	Sat,Sun                  all day
//	22:00-06:00              every day; over midnight it belongs to the day it begins on
//	12-20..01-03             every year, both days included; may wrap the year's end
//	2026-12-20..2027-01-03   once, both days included
//
// Where the clock jumps, a window covers all from the first instant at which the
// clock reads its beginning or later, up to the last at which it reads less than
// its end. So a time that does not exist stands for the first instant after the
// gap, and of one that exists twice a window's beginning is the first and its
// end the last. 02-29 is, in other years, a day of no length after 02-28.
//
// Open is what some allow (if any is given) and no deny covers.
//
// What holds when [Judge] returns: Open is true of every instant from the given
// time up to Until, false of Until itself, or the other way round. naive_test.go
// holds it against a count of single minutes.
//
// Nothing here reads a clock: the time is given. Rules of time zones are those of
// the machine, where it has any, else those built into the binary; each zone is
// read once. All functions may be called at the same time.
package window

package window

import "time"

const day = 24 * 3600 // seconds by the clock

// times are spans by the clock, numbered in their order: neither beginnings nor
// ends go back from one number to the next. Both are in seconds since 1970 by
// the clock; a span ends before its end.
type times interface {
	// number is that of the day, year or other unit that holds a time. A span
	// begins in the unit of its number and ends in the next one at the latest.
	number(wall int64) int64
	// span is false of numbers that have none.
	span(number int64) (from, to int64, ok bool)
}

// weekly are the same hours on some days of each week.
type weekly struct {
	days     [7]bool // by time.Weekday
	from, to int64   // seconds of the day; to is more than a day where midnight is passed
}

func (w weekly) number(wall int64) int64 {
	if wall < 0 {
		return (wall - day + 1) / day
	}
	return wall / day
}

func (w weekly) span(number int64) (from, to int64, ok bool) {
	weekday := ((number+int64(time.Thursday))%7 + 7) % 7 // 1 January 1970 was a Thursday
	return number*day + w.from, number*day + w.to, w.days[weekday]
}

// always reports whether no time is left out.
func (w weekly) always() bool {
	return w.days == [7]bool{true, true, true, true, true, true, true} && w.to-w.from == day
}

// date is a day of the calendar; year 0 is every year.
type date struct {
	year  int
	month time.Month
	day   int
}

// from is when the day begins, and to when it is over, in a year. 02-29 is over
// as it begins where there is none.
func (d date) from(year int) int64 { return midnight(year, d.month, d.day) }

func (d date) to(year int) int64 {
	if d.month == time.February && d.day == 29 {
		return midnight(year, time.March, 1)
	}
	return midnight(year, d.month, d.day+1)
}

func midnight(year int, month time.Month, day int) int64 {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix()
}

func (d date) after(other date) bool {
	return d.month > other.month || d.month == other.month && d.day > other.day
}

// yearly is from the first to the last day, each year.
type yearly struct{ first, last date }

func (y yearly) number(wall int64) int64 { return int64(time.Unix(wall, 0).UTC().Year()) }

func (y yearly) span(number int64) (from, to int64, ok bool) {
	begin, end := int(number), int(number)
	if y.first.after(y.last) {
		end++
	}
	return y.first.from(begin), y.last.to(end), true
}

// once is from the first to the last day of certain years.
type once struct{ first, last date }

func (o once) number(int64) int64 { return 0 }

func (o once) span(number int64) (from, to int64, ok bool) {
	return o.first.from(o.first.year), o.last.to(o.last.year), number == 0
}

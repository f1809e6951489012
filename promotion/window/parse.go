package window

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// forms are said where a text fits none of them.
const forms = "write days and hours (Mon-Fri 09:00-17:00, either alone), days of each year (12-20..01-03) or of certain years (2026-12-20..2027-01-03)"

// loose is space that says nothing: beside a comma, a dash or the dots.
var loose = regexp.MustCompile(` *(,|-|\.\.) *`)

// parse reads the text of an allow or a deny.
func parse(text string) (times, error) {
	const most = 100 // bytes; all seven days and the hours take 40
	if len(text) > most {
		return nil, fmt.Errorf("a window has at most %d characters; %s", most, forms)
	}
	tight := loose.ReplaceAllString(strings.Join(strings.Fields(text), " "), "$1")
	words := strings.Fields(tight)
	switch {
	case len(words) == 0:
		return nil, errors.New("the window is empty; " + forms)
	case strings.Contains(tight, ".."):
		return parseDates(words)
	case dated.MatchString(words[0]):
		return nil, fmt.Errorf("a single day is written %s..%s", words[0], words[0])
	}
	return parseWeekly(words)
}

// parseWeekly reads DAYS, HOURS, or both.
func parseWeekly(words []string) (times, error) {
	w := weekly{days: [7]bool{true, true, true, true, true, true, true}, to: day}
	var err error
	if !strings.Contains(words[0], ":") {
		if w.days, err = parseDays(words[0]); err != nil {
			return nil, err
		}
		words = words[1:]
	}
	if len(words) > 0 {
		if w.from, w.to, err = parseHours(words[0]); err != nil {
			return nil, err
		}
		words = words[1:]
	}
	if len(words) > 0 {
		return nil, fmt.Errorf("%q is one word too many; hours come once and after the days; for others write another window", words[0])
	}
	return w, nil
}

// weekdays by time.Weekday.
var weekdays = []string{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"}

func parseDays(list string) (days [7]bool, err error) {
	for part := range strings.SplitSeq(list, ",") {
		from, to, ranged := strings.Cut(part, "-")
		first, err := parseDay(from)
		if err != nil {
			return days, err
		}
		last := first
		if ranged {
			if last, err = parseDay(to); err != nil {
				return days, err
			}
			if last == first {
				return days, fmt.Errorf("%q begins and ends on the same day; write %s for that day, Mon-Sun for all", part, from)
			}
		}
		for d := first; ; d = (d + 1) % 7 {
			days[d] = true
			if d == last {
				break
			}
		}
	}
	return days, nil
}

func parseDay(word string) (int, error) {
	if d := slices.Index(weekdays, word); d >= 0 {
		return d, nil
	}
	if len(word) >= 3 {
		for _, name := range weekdays {
			if strings.EqualFold(name, word[:3]) {
				return 0, fmt.Errorf("there is no day %q (did you mean %s?)", word, name)
			}
		}
	}
	return 0, fmt.Errorf("%q is no day (Mon, Tue, Wed, Thu, Fri, Sat, Sun); %s", word, forms)
}

var clock = regexp.MustCompile(`^([0-9]{2}):([0-9]{2})$`)

// parseHours reads FROM-TO as seconds of the day; to is more than a day where
// midnight is passed.
func parseHours(word string) (from, to int64, err error) {
	first, last, ok := strings.Cut(word, "-")
	if !ok {
		return 0, 0, fmt.Errorf("%q has no end; hours are written 09:00-17:00", word)
	}
	if from, err = parseClock(first); err == nil {
		to, err = parseClock(last)
	}
	switch {
	case err != nil:
		return 0, 0, err
	case from == day:
		return 0, 0, fmt.Errorf("%q begins when the day is over; write 00:00 and the next day", word)
	case from == to:
		return 0, 0, fmt.Errorf("%q begins and ends at the same time; a whole day is 00:00-24:00", word)
	case from > to:
		to += day
	}
	return from, to, nil
}

func parseClock(word string) (int64, error) {
	m := clock.FindStringSubmatch(word)
	if m == nil {
		return 0, fmt.Errorf("%q is no time of day; write HH:MM from 00:00 to 24:00", word)
	}
	hour, minute := numberOf(m[1]), numberOf(m[2])
	if minute > 59 || hour*60+minute > 24*60 {
		return 0, fmt.Errorf("there is no time %q; write HH:MM from 00:00 to 24:00", word)
	}
	return int64(hour*3600 + minute*60), nil
}

// numberOf reads digits.
func numberOf(digits string) int {
	n := 0
	for _, d := range digits {
		n = n*10 + int(d-'0')
	}
	return n
}

var dated = regexp.MustCompile(`^(?:([0-9]{4})-)?([0-9]{2})-([0-9]{2})$`)

// parseDates reads FIRST..LAST.
func parseDates(words []string) (times, error) {
	if len(words) > 1 {
		return nil, fmt.Errorf("%q does not go with a range of days; that takes neither hours nor days of the week", words[1])
	}
	from, to, _ := strings.Cut(words[0], "..")
	first, err := parseDate(from)
	if err != nil {
		return nil, err
	}
	last, err := parseDate(to)
	switch {
	case err != nil:
		return nil, err
	case (first.year == 0) != (last.year == 0):
		return nil, fmt.Errorf("%q has a year on one side only; write it on both or on none", words[0])
	case first.year == 0:
		return yearly{first, last}, nil
	case first.from(first.year) > last.from(last.year):
		return nil, fmt.Errorf("%q ends before it begins", words[0])
	}
	return once{first, last}, nil
}

func parseDate(word string) (date, error) {
	m := dated.FindStringSubmatch(word)
	if m == nil {
		return date{}, fmt.Errorf("%q is no day of the calendar; write MM-DD or YYYY-MM-DD", word)
	}
	d := date{numberOf(m[1]), time.Month(numberOf(m[2])), numberOf(m[3])}
	year := 2000 // one with 29 February
	if m[1] != "" {
		year = d.year
	}
	if d.month < 1 || d.month > 12 {
		return date{}, fmt.Errorf("%q has no month from 01 to 12; write MM-DD or YYYY-MM-DD", word)
	}
	if t := time.Date(year, d.month, d.day, 0, 0, 0, 0, time.UTC); t.Day() != d.day || m[1] == "0000" {
		return date{}, fmt.Errorf("there is no day %q", word)
	}
	return d, nil
}

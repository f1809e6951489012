package window_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion/window"
)

const berlin = "Europe/Berlin"

func allow(text, zone string) window.Window { return window.Window{Allow: text, Timezone: zone} }

func deny(text, zone string) window.Window { return window.Window{Deny: text, Timezone: zone} }

func TestJudge(t *testing.T) {
	office := allow("Mon-Fri 09:00-17:00", berlin)
	tests := []struct {
		name    string
		windows []window.Window
		now     string
		open    bool
		until   string // UTC; empty: not within two years
		text    string
	}{
		{"none", nil, "2026-11-30 20:00", true, "", "Window open for the next two years"},
		{"in the office", []window.Window{office}, "2026-11-30 08:00", true, "2026-11-30 16:00", "Window open until 17:00 Europe/Berlin"},
		{"the last second", []window.Window{office}, "2026-11-30 15:59:59.9", true, "2026-11-30 16:00", "Window open until 17:00 Europe/Berlin"},
		{"the end is no part of it", []window.Window{office}, "2026-11-30 16:00", false, "2026-12-01 08:00", "Window opens Tue 09:00 Europe/Berlin"},
		{"early", []window.Window{office}, "2026-11-30 06:00", false, "2026-11-30 08:00", "Window opens 09:00 Europe/Berlin"},
		{"over the weekend", []window.Window{office}, "2026-12-04 20:00", false, "2026-12-07 08:00", "Window opens Mon 09:00 Europe/Berlin"},
		{"summer", []window.Window{office}, "2026-07-01 07:00", true, "2026-07-01 15:00", "Window open until 17:00 Europe/Berlin"},
		{"UTC", []window.Window{allow("09:00-17:00", "")}, "2026-11-30 09:00", true, "2026-11-30 17:00", "Window open until 17:00 UTC"},
		{"days wrap", []window.Window{allow("Fri-Mon", "")}, "2026-11-29 12:00", true, "2026-12-01 00:00", "Window open until Tue 00:00 UTC"},
		{"a list of days", []window.Window{deny("Sat, Sun", "")}, "2026-11-27 12:00", true, "2026-11-28 00:00", "Window open until Sat 00:00 UTC"},
		{"midnight wraps", []window.Window{allow("Mon 22:00-06:00", "")}, "2026-12-01 05:00", true, "2026-12-01 06:00", "Window open until 06:00 UTC"},
		{"and belongs to the day it begins on", []window.Window{allow("Mon 22:00-06:00", "")}, "2026-11-30 05:00", false, "2026-11-30 22:00", "Window opens 22:00 UTC"},
		{"24:00", []window.Window{allow("Mon 22:00-24:00", "")}, "2026-11-30 23:59", true, "2026-12-01 00:00", "Window open until Tue 00:00 UTC"},
		{"a week away", []window.Window{allow("Mon 09:00-10:00", "")}, "2026-11-30 10:00", false, "2026-12-07 09:00", "Window opens Mon 7 Dec 09:00 UTC"},
		{"the year wraps", []window.Window{office, deny("12-20..01-03", "")}, "2026-12-21 10:00", false, "2027-01-04 08:00", "Window opens Mon 4 Jan 2027 09:00 Europe/Berlin, held by deny 12-20..01-03"},
		{"both days included", []window.Window{deny("12-20..01-03", "")}, "2027-01-03 23:59:59", false, "2027-01-04 00:00", "Window opens Mon 00:00 UTC, held by deny 12-20..01-03"},
		{"until the year ends", []window.Window{deny("12-20..01-03", berlin)}, "2027-01-03 23:00", true, "2027-12-19 23:00", "Window open until Mon 20 Dec 00:00 Europe/Berlin"},
		{"certain days", []window.Window{deny("2026-12-01..2026-12-02", "")}, "2026-11-30 20:00", true, "2026-12-01 00:00", "Window open until Tue 00:00 UTC"},
		{"certain days are over", []window.Window{deny("2026-11-01..2026-11-29", "")}, "2026-11-30 20:00", true, "", "Window open for the next two years"},
		{"certain days that allow are over", []window.Window{allow("2026-11-01..2026-11-29", "")}, "2026-11-30 20:00", false, "", "Window stays closed for the next two years"},
		{"denied always", []window.Window{office, deny("00:00-24:00", "")}, "2026-11-30 20:00", false, "", "Window stays closed for the next two years, held by deny 00:00-24:00"},
		{"the longest deny holds", []window.Window{deny("20:00-21:00", ""), deny("Mon", "")}, "2026-11-30 20:30", false, "2026-12-01 00:00", "Window opens Tue 00:00 UTC, held by deny Mon"},
		{"days that touch are one", []window.Window{deny("2026-11-30..2026-11-30", ""), deny("Mon-Tue", "")}, "2026-11-30 20:30", false, "2026-12-02 00:00", "Window opens Wed 00:00 UTC, held by deny Mon-Tue"},
		{"the same day of a month", []window.Window{deny("2026-12-30..2026-12-31", "")}, "2026-11-30 20:00", true, "2026-12-30 00:00", "Window open until Wed 30 Dec 00:00 UTC"},
		{"two years away", []window.Window{deny("2028-11-30..2028-11-30", "")}, "2026-11-30 00:00", true, "2028-11-30 00:00", "Window open until Thu 30 Nov 2028 00:00 UTC"},
		{"and a second more", []window.Window{deny("2028-11-30..2028-11-30", "")}, "2026-11-29 23:59:59", true, "", "Window open for the next two years"},
		{"one after the other", []window.Window{allow("Mon", ""), allow("Tue 00:00-12:00", "")}, "2026-11-30 20:00", true, "2026-12-01 12:00", "Window open until Tue 12:00 UTC"},
		{"all days, one by one", []window.Window{allow("Mon-Wed", ""), allow("Thu-Sun", "")}, "2026-11-30 20:00", true, "", "Window open for the next two years"},
		{"a leap day", []window.Window{allow("02-29..02-29", "")}, "2026-11-30 20:00", false, "2028-02-29 00:00", "Window opens Tue 29 Feb 2028 00:00 UTC"},
		{"a leap day where there is none", []window.Window{allow("02-28..02-29", "")}, "2026-02-28 20:00", true, "2026-03-01 00:00", "Window open until Sun 00:00 UTC"},
		{"from a leap day where there is none", []window.Window{allow("02-29..03-02", "")}, "2026-02-28 20:00", false, "2026-03-01 00:00", "Window opens Sun 00:00 UTC"},
		// Berlin skips 02:00 to 03:00 on 29 March 2026, and has it twice on 25 October.
		{"begins in a gap", []window.Window{allow("Sun 02:30-04:00", berlin)}, "2026-03-29 00:30", false, "2026-03-29 01:00", "Window opens 03:00 Europe/Berlin"},
		{"ends in a gap", []window.Window{allow("Sun 01:00-02:30", berlin)}, "2026-03-29 00:30", true, "2026-03-29 01:00", "Window open until 03:00 Europe/Berlin"},
		{"all of it in a gap", []window.Window{allow("Sun 02:10-02:50", berlin)}, "2026-03-29 00:30", false, "2026-04-05 00:10", "Window opens Sun 5 Apr 02:10 Europe/Berlin"},
		{"begins twice", []window.Window{allow("Sun 02:30-04:00", berlin)}, "2026-10-25 00:00", false, "2026-10-25 00:30", "Window opens 02:30 Europe/Berlin"},
		{"ends twice", []window.Window{allow("Sun 01:00-02:30", berlin)}, "2026-10-25 00:30", true, "2026-10-25 01:30", "Window open until 02:30 Europe/Berlin"},
		{"ends before what is there twice", []window.Window{allow("Sun 01:00-02:00", berlin)}, "2026-10-24 23:30", true, "2026-10-25 00:00", "Window open until 02:00 Europe/Berlin"},
		{"a day of 25 hours", []window.Window{allow("Sun", berlin)}, "2026-10-24 22:00", true, "2026-10-25 23:00", "Window open until Mon 00:00 Europe/Berlin"},
		{"a day that never was", []window.Window{allow("2011-12-30..2011-12-30", "Pacific/Apia")}, "2011-12-29 10:00", false, "", "Window stays closed for the next two years"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := window.Judge(tt.windows, at(t, tt.now))
			if err != nil {
				t.Fatal(err)
			}
			want := window.Verdict{Open: tt.open, Text: tt.text}
			if tt.until != "" {
				want.Until = at(t, tt.until)
			}
			if got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

func at(t testing.TB, text string) time.Time {
	t.Helper()
	layout := "2006-01-02 15:04:05"
	out, err := time.Parse(layout[:min(len(layout), len(text))], text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What cannot be read lets nothing through.
func TestJudgeErrors(t *testing.T) {
	for _, windows := range [][]window.Window{{allow("Mon", ""), {}}, {allow("Mom", "")}, {allow("Mon", "Nowhere")}} {
		if got, err := window.Judge(windows, at(t, "2026-11-30 20:00")); err == nil || got.Open {
			t.Errorf("%v: %+v, %v", windows, got, err)
		}
	}
	for _, year := range []int{0, 9001, 1 << 40} {
		if got, err := window.Judge(nil, time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)); err == nil || got.Open {
			t.Errorf("year %d: %+v", year, got)
		}
	}
}

func TestCheck(t *testing.T) {
	tests := []struct {
		window window.Window
		want   string // empty: nothing is wrong
	}{
		{allow("Mon-Fri 09:00-17:00", berlin), ""},
		{allow(" Mon - Wed , Fri  09:00 - 17:00 ", "America/New_York"), ""},
		{allow("Sun", "Etc/GMT+2"), ""},
		{deny("12-20 .. 01-03", ""), ""},
		{deny("02-29..02-29", ""), ""},
		{deny("2024-02-29..2024-02-29", ""), ""},
		{deny("2026-12-20..2027-01-03", ""), ""},
		{window.Window{}, "needs `allow` or `deny`"},
		{window.Window{Allow: "Mon", Deny: "Tue"}, "not both; write two windows"},
		{allow(" ", ""), "window allow  : the window is empty; write days and hours"},
		{allow("mon-Fri", ""), `there is no day "mon" (did you mean Mon?)`},
		{allow("Monday", ""), `there is no day "Monday" (did you mean Mon?)`},
		{allow("weekdays", ""), `"weekdays" is no day (Mon, Tue`},
		{allow("Mon,", ""), `"" is no day`},
		{allow("Mon-Mon", ""), "write Mon for that day, Mon-Sun for all"},
		{allow("Mon-Wed-Fri", ""), `"Wed-Fri"`},
		{allow("9:00-17:00", ""), `"9:00" is no time of day; write HH:MM from 00:00 to 24:00`},
		{allow("09:00-17:60", ""), `there is no time "17:60"`},
		{allow("09:00-24:01", ""), `there is no time "24:01"`},
		{allow("24:00-09:00", ""), "begins when the day is over"},
		{allow("09:00-09:00", ""), "a whole day is 00:00-24:00"},
		{allow("09:00", ""), `"09:00" has no end`},
		{allow("09:00-17:00 Mon", ""), `"Mon" is one word too many; hours come once and after the days`},
		{allow("Mon 09:00-12:00,13:00-17:00", ""), `"12:00,13:00-17:00" is no time of day`},
		{deny("12-24", ""), "a single day is written 12-24..12-24"},
		{deny("12-24..", ""), `"" is no day of the calendar`},
		{deny("20-12..24-12", ""), `"20-12" has no month from 01 to 12`},
		{deny("02-30..03-01", ""), `there is no day "02-30"`},
		{deny("2026-02-29..2026-03-01", ""), `there is no day "2026-02-29"`},
		{deny("0000-02-27..0000-03-01", ""), `there is no day "0000-02-27"`},
		{deny("12-00..12-03", ""), `there is no day "12-00"`},
		{deny("2026-12-20..01-03", ""), "has a year on one side only"},
		{deny("2026-12-20..2026-01-03", ""), "ends before it begins"},
		{deny("12-20..01-03 09:00-17:00", ""), `"09:00-17:00" does not go with a range of days`},
		{deny("Dec 20..Jan 3", ""), "does not go with a range of days"},
		{deny(strings.Repeat("Mon,", 50)+"Mon", ""), "at most 100 characters"},
		{allow("Mon", "europe/berlin"), `there is no time zone "europe/berlin" (did you mean Europe/Berlin?)`},
		{allow("Mon", "America/New York"), "(did you mean America/New_York?)"},
		{allow("Mon", "utc"), "(did you mean UTC?)"},
		{allow("Mon", "Local"), `there is no time zone "Local"; zones are written like UTC`},
		{allow("Mon", "+02:00"), `there is no time zone "+02:00"`},
		{allow("Mon", "../etc/passwd"), "there is no time zone"},
	}
	for _, tt := range tests {
		err := tt.window.Check()
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%+v: %v", tt.window, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%+v:\ngot  %v\nwant %s", tt.window, err, tt.want)
		}
	}
}

// Parts are checked as the whole is.
func TestCheckParts(t *testing.T) {
	if err := window.CheckTimes("Mon-Fri"); err != nil {
		t.Error(err)
	}
	if err := window.CheckTimes(""); err == nil {
		t.Error("an empty text is let in")
	}
	if err := window.CheckZone(""); err != nil {
		t.Error(err)
	}
	if err := window.CheckZone("Mars/Olympus"); err == nil {
		t.Error("a zone of Mars is let in")
	}
}

package window_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion/window"
)

var rounds = flag.Int("rounds", 1, "how many sets of windows TestNaive tries at each change of a clock")

// clocks are zones whose clocks jump in different ways, with years in which they
// do: by an hour, by half an hour, by two hours, at midnight, over midnight, the
// other way round in summer, over a whole day, and not at all.
var clocks = []struct {
	zone  string
	years []int
}{
	{"", []int{2026}},
	{"Asia/Kolkata", []int{2027}},
	{"Europe/Berlin", []int{2026, 2031}},
	{"America/New_York", []int{2026, 2045}},
	{"Australia/Lord_Howe", []int{2027}},
	{"Antarctica/Troll", []int{2026}},
	{"America/Havana", []int{2026}},
	{"America/Sao_Paulo", []int{2017}},
	{"Pacific/Chatham", []int{2028}},
	{"Europe/Dublin", []int{2026}},
	{"Africa/Casablanca", []int{2026}},
	{"Asia/Beirut", []int{2026}},
	{"Pacific/Apia", []int{2011}},
}

// Judge says of each minute what counting minutes says, and Until is the first
// minute at which that changes.
func TestNaive(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range clocks {
		loc, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		for _, year := range c.years {
			moments := append(jumps(loc, year), time.Date(year, 12, 31, 12, 0, 0, 0, loc), time.Date(year, 2, 28, 20, 0, 0, 0, loc))
			for _, at := range moments {
				for range *rounds {
					compare(t, random, c.zone, loc, at)
				}
			}
		}
	}
}

// jumps are the times of a year at which a clock jumps.
func jumps(loc *time.Location, year int) []time.Time {
	var out []time.Time
	_, last := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).In(loc).Zone()
	for at := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() == year; at = at.Add(time.Hour) {
		if _, offset := at.In(loc).Zone(); offset != last {
			last = offset
			out = append(out, at)
		}
	}
	return out
}

// compare tries random windows on the three days around a time.
func compare(t *testing.T, random *rand.Rand, zone string, loc *time.Location, around time.Time) {
	t.Helper()
	const margin, length = 4 * 24 * 60, 2 * 24 * 60
	n := minutes(loc, around.Truncate(time.Minute).Add(-(margin+length/2)*time.Minute), margin+length+margin)
	var windows []window.Window
	opens := make([]bool, len(n.walls))
	var allow, deny [][]bool
	for range 1 + random.IntN(3) {
		text, spans := written(random, n)
		if random.IntN(3) > 0 {
			windows = append(windows, window.Window{Allow: text, Timezone: zone})
			allow = append(allow, n.covered(spans))
		} else {
			windows = append(windows, window.Window{Deny: text, Timezone: zone})
			deny = append(deny, n.covered(spans))
		}
	}
	for i := range opens {
		covers := func(c []bool) bool { return c[i] }
		opens[i] = (len(allow) == 0 || slices.ContainsFunc(allow, covers)) && !slices.ContainsFunc(deny, covers)
	}
	for i := margin; i < margin+length; i += 1 + random.IntN(32) {
		now := n.start.Add(time.Duration(i)*time.Minute + time.Duration(random.IntN(60))*time.Second)
		got, err := window.Judge(windows, now)
		if err != nil {
			t.Fatalf("%v: %v", windows, err)
		}
		if got.Open != opens[i] {
			t.Fatalf("%+v at %v: open is %v, counted minutes say %v", windows, now.In(loc), got.Open, opens[i])
		}
		change := i
		for change < len(opens)-margin/4 && opens[change] == opens[i] {
			change++
		}
		want := n.start.Add(time.Duration(change) * time.Minute)
		switch {
		case opens[change] != opens[i] && !got.Until.Equal(want):
			t.Fatalf("%+v at %v: changes at %v, counted minutes say %v", windows, now.In(loc), got.Until.In(loc), want.In(loc))
		case opens[change] == opens[i] && !got.Until.IsZero() && got.Until.Before(want):
			t.Fatalf("%+v at %v: changes at %v, counted minutes say not before %v", windows, now.In(loc), got.Until.In(loc), want.In(loc))
		}
	}
}

// naive is a row of minutes, each with what a clock reads, in minutes since 1970
// as if there were no time zones.
type naive struct {
	start time.Time
	walls []int
}

func minutes(loc *time.Location, start time.Time, count int) naive {
	n := naive{start: start, walls: make([]int, count)}
	for i := range n.walls {
		at := start.Add(time.Duration(i) * time.Minute).In(loc)
		n.walls[i] = wall(at.Year(), at.Month(), at.Day(), at.Hour()*60+at.Minute())
	}
	return n
}

func wall(year int, month time.Month, day, minute int) int {
	return int(time.Date(year, month, day, 0, minute, 0, 0, time.UTC).Unix() / 60)
}

// covered marks, for each span of wall minutes, all from the first minute that
// reads its beginning or later to the last that reads less than its end.
func (n naive) covered(spans [][2]int) []bool {
	out := make([]bool, len(n.walls))
	for _, span := range spans {
		first, last := 0, len(n.walls)-1
		for first < len(n.walls) && n.walls[first] < span[0] {
			first++
		}
		for last >= 0 && n.walls[last] >= span[1] {
			last--
		}
		for i := first; i <= last; i++ {
			out[i] = true
		}
	}
	return out
}

// written makes up a window: its text, and its spans near the row of minutes.
func written(random *rand.Rand, n naive) (string, [][2]int) {
	middle := time.Unix(int64(n.walls[len(n.walls)/2])*60, 0).UTC() // by the clock
	switch random.IntN(5) {
	case 0: // days of each year
		from, to := middle.AddDate(0, 0, random.IntN(7)-3), middle.AddDate(0, 0, random.IntN(7)-3)
		var spans [][2]int
		for year := middle.Year() - 2; year <= middle.Year()+2; year++ {
			end := year
			if from.Format("01-02") > to.Format("01-02") {
				end++
			}
			spans = append(spans, [2]int{wall(year, from.Month(), from.Day(), 0), wall(end, to.Month(), to.Day()+1, 0)})
		}
		return from.Format("01-02") + ".." + to.Format("01-02"), spans
	case 1: // certain days
		from := middle.AddDate(0, 0, random.IntN(7)-4)
		to := from.AddDate(0, 0, random.IntN(4))
		return from.Format(time.DateOnly) + ".." + to.Format(time.DateOnly),
			[][2]int{{wall(from.Year(), from.Month(), from.Day(), 0), wall(to.Year(), to.Month(), to.Day()+1, 0)}}
	}
	days, chosen := pick(random)
	from, to := random.IntN(24*60), 1+random.IntN(24*60)
	if random.IntN(2) == 0 { // often where clocks jump
		from, to = random.IntN(8)*30, 1+random.IntN(8)*30
	}
	if from == to {
		to++
	}
	text := strings.TrimSpace(fmt.Sprintf("%s %02d:%02d-%02d:%02d", days, from/60, from%60, to/60, to%60))
	if to < from {
		to += 24 * 60
	}
	if random.IntN(6) == 0 && days != "" {
		text, from, to = days, 0, 24*60
	}
	var spans [][2]int
	for d := -7; d <= 7; d++ {
		at := middle.AddDate(0, 0, d)
		if chosen[at.Weekday()] {
			spans = append(spans, [2]int{wall(at.Year(), at.Month(), at.Day(), from), wall(at.Year(), at.Month(), at.Day(), to)})
		}
	}
	return text, spans
}

// pick chooses days of the week.
func pick(random *rand.Rand) (string, map[time.Weekday]bool) {
	names := []string{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"}
	all := map[time.Weekday]bool{0: true, 1: true, 2: true, 3: true, 4: true, 5: true, 6: true}
	a, b := random.IntN(7), random.IntN(7)
	switch {
	case random.IntN(3) == 0:
		return "", all
	case a == b:
		return names[a], map[time.Weekday]bool{time.Weekday(a): true}
	case random.IntN(2) == 0:
		return names[a] + "," + names[b], map[time.Weekday]bool{time.Weekday(a): true, time.Weekday(b): true}
	}
	chosen := map[time.Weekday]bool{time.Weekday(b): true}
	for d := a; d != b; d = (d + 1) % 7 {
		chosen[time.Weekday(d)] = true
	}
	return names[a] + "-" + names[b], chosen
}

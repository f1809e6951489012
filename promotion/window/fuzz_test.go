package window_test

import (
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion/window"
)

// Whatever is written, and whenever it is asked: Open holds until Until, asked on
// the way too, and not at Until itself.
func FuzzJudge(f *testing.F) {
	f.Add("Mon-Fri 09:00-17:00", "12-20..01-03", berlin, int64(1_792_886_400))
	f.Add("Sun 02:30-04:00", "", berlin, int64(1_792_886_400))
	f.Add("22:00-06:00", "Fri-Mon", "Australia/Lord_Howe", int64(1_774_742_400))
	f.Add("02-29..02-29", "2028-01-01..2028-02-28", "Pacific/Apia", int64(1_325_160_000))
	f.Add("Thu", "00:00-24:00", "Asia/Manila", int64(-3_944_621_040))
	f.Add("0001-01-01..9999-12-31", "Sat,Sun", "", int64(-62_135_596_800))
	f.Fuzz(func(t *testing.T, allowed, denied, zone string, unix int64) {
		var windows []window.Window
		if allowed != "" {
			windows = append(windows, window.Window{Allow: allowed, Timezone: zone})
		}
		if denied != "" {
			windows = append(windows, window.Window{Deny: denied})
		}
		now := time.Unix(unix, 0)
		v, err := window.Judge(windows, now)
		if err != nil {
			if v != (window.Verdict{}) {
				t.Fatalf("an error and a verdict: %+v, %v", v, err)
			}
			return
		}
		if v.Text == "" {
			t.Fatal("no text")
		}
		if v.Until.IsZero() {
			return
		}
		if !v.Until.After(now) || v.Until.After(now.UTC().AddDate(2, 0, 0)) {
			t.Fatalf("at %v it changes at %v", now, v.Until)
		}
		left := v.Until.Sub(now)
		for _, on := range []time.Duration{left / 3, left / 2, left - time.Second} {
			if w, err := window.Judge(windows, now.Add(on)); err != nil || w.Open != v.Open || !w.Until.Equal(v.Until) {
				t.Fatalf("%+v at %v: %+v; %v later %+v, %v", windows, now, v, on, w, err)
			}
		}
		if w, err := window.Judge(windows, v.Until); err == nil && w.Open == v.Open {
			t.Fatalf("%+v: open is %v at %v and still is at its end %v", windows, v.Open, now, v.Until)
		}
	})
}

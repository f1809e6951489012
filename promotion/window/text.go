package window

import "time"

// sentence says the verdict in words. by is the window that changes it, nil when
// none does; holder is the deny that covers now, if one does.
func (v Verdict) sentence(by, holder *track, now time.Time) string {
	text := "Window open"
	switch {
	case v.Open && by != nil:
		text += " until " + by.clock(v.Until, now)
	case v.Open:
		text += " for the next two years"
	case by != nil:
		text = "Window opens " + by.clock(v.Until, now)
	default:
		text = "Window stays closed for the next two years"
	}
	if holder != nil {
		text += ", held by " + holder.String()
	}
	return text
}

// week is how far off a day of the week says enough.
const week = 6 * 24 * time.Hour

// clock is a time as the window's place reads it, as short as it is clear:
// 17:00 UTC today, Mon 09:00 UTC, Mon 4 Jan 2027 09:00 UTC.
func (t *track) clock(at, now time.Time) string {
	at, now = at.In(t.rule.place.loc), now.In(t.rule.place.loc)
	layout := "Mon 2 Jan 2006 15:04"
	switch far := at.Sub(now); {
	case far <= week && at.Day() == now.Day():
		layout = "15:04"
	case far <= week:
		layout = "Mon 15:04"
	case at.Year() == now.Year():
		layout = "Mon 2 Jan 15:04"
	}
	return at.Format(layout) + " " + t.zoneName()
}

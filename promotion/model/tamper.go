package model

import (
	"fmt"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// page is the tracking issue as people see it.
type page struct {
	record  *promotion.State // that its text holds, if that is valid; without Local
	marked  marks            // what people had set when that was written
	harmed  string           // what somebody did to it since it was written; "": nothing
	former  *promotion.State // what it held before: somebody may put it back
	formerM marks
}

// names of stores, the oldest first.
const (
	elderStore   = "1700000000000-aaaaaaaa"
	youngerStore = "1790000000000-cccccccc"
)

// storeName is the name of the server's own store, after so many were lost.
func storeName(lost int) string { return fmt.Sprint(1750000000000+lost, "-bbbbbbbb") }

// tamper does something to the tracking issue that only the app should do.
func (s *server) tamper(m Move) {
	if s.page.record == nil {
		return
	}
	by := who(m)
	switch m.What % 7 {
	case 0:
		s.harm(by, "edited", "its text is edited")
	case 1, 2:
		s.harm(by, "edited", "it is emptied")
		s.page.record = nil
	case 3:
		if s.page.former != nil {
			s.harm(by, "edited", "an older text is put back")
			s.page.record, s.page.marked = s.page.former, s.page.formerM
		}
	case 4:
		s.harm(by, "closed", "it is closed")
	case 5:
		s.harm(by, "deleted", "it is deleted")
		s.page.record = nil
	default:
		s.otherServer(m)
	}
}

func (s *server) harm(by, action, what string) {
	s.say("%s touches the tracking issue: %s", by, what)
	s.page.harmed = what
	s.emit(s.event(promotion.LedgerTouched{Number: issue, Action: action, By: by}))
}

// otherServer lets a server with a store of its own write the tracking issue.
func (s *server) otherServer(m Move) {
	store := elderStore
	if m.Who%2 == 1 {
		store = youngerStore
	}
	s.say("another server writes the tracking issue, from the store %s", store)
	s.page.harmed = "another server wrote it"
	s.emit(s.event(promotion.LedgerTouched{Number: issue, Action: "edited", By: "stagecoach[bot]", Writer: store}))
}

// told judges that a touched tracking issue is said (promise 16), and that a server
// which hears of an older one stops.
func (r *rules) toldOf(in promotion.Event) {
	body, ok := in.Body.(promotion.LedgerTouched)
	if !ok || body.Number != issue {
		return
	}
	local, said := r.state.Local, false
	for _, p := range r.state.Problems {
		said = said || strings.HasPrefix(p.Key, "ledger/")
	}
	switch {
	case body.Writer == "" && (!said || !local.Suspect):
		r.fail("promise 16: %s by %s is not said, or not looked at", body.Action, body.By)
	case body.Writer == elderStore && !in.At.Before(local.Rebuilt.Add(2*time.Minute)) && local.Rival == nil:
		r.fail("promise 16: an older server writes, and this one goes on")
	}
}

// repaired judges that the tracking issue holds what it should.
func (r *rules) repaired() {
	if r.page.harmed != "" && r.page.harmed != "another server wrote it" {
		r.fail("promise 16: the tracking issue stays as somebody left it: %s", r.page.harmed)
	}
}

package promotion_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// visited is a public repository in which everybody may read, and how often it
// was asked what somebody may do.
func visited(p *promotion.Pipeline) (w *pt.World, asked *int) {
	w, asked = pt.NewWorld(p), new(int)
	w.Permission = "read"
	w.Refuse = func(e promotion.Effect) error {
		if e.Kind == promotion.KindPermission {
			*asked++
		}
		return nil
	}
	return w, asked
}

// comes is a comment on the public repository.
func comes(w *pt.World, id int64, login, line string) {
	e := pt.Comment(id, w.Now, line)
	e.Repo.Private = false
	body := e.Body.(promotion.Commented)
	body.By = login
	e.Body = body
	w.Take(e)
}

func TestAStrangerCostsOneReadAnHour(t *testing.T) {
	w, asked := visited(three())
	for i := range int64(10) {
		comes(w, 10+i, "hubot", "/promote prod")
		w.Sleep(5 * time.Minute)
	}
	if *asked != 1 {
		t.Errorf("asked %d times within an hour, want once", *asked)
	}
	for i := range int64(10) {
		if told := fmt.Sprint(10+i, " -1"); w.Reactions[told] != 1 {
			t.Errorf("comment %d has no verdict: %v", 10+i, w.Reactions)
		}
	}
	if len(w.Replies) != 0 || len(w.All("prod")) != 0 {
		t.Errorf("replies %q, promotions to prod %d", w.Replies, len(w.All("prod")))
	}
	w.Sleep(20 * time.Minute)
	w.Permission = "write" // the owner let them in
	comes(w, 40, "Hubot", "/status")
	if *asked != 2 || w.Reactions["40 +1"] != 1 {
		t.Errorf("after the hour: asked %d times, reactions %v", *asked, w.Reactions)
	}
	comes(w, 41, "hubot", "/status")
	comes(w, 42, "hubot", "/status")
	if *asked != 4 {
		t.Errorf("asked %d times: who may do something is asked about each time", *asked)
	}
}

// Whom the config names is no stranger for what it names them for, also when they
// were turned away before; and each person is known by themselves.
func TestAStrangerThatTheConfigNamesIsAskedAbout(t *testing.T) {
	p := gated(func(_, prod *promotion.Stage) { prod.Allow = &promotion.Allow{Users: []string{"hubot"}} })
	w, asked := visited(p)
	w.Take(pt.Push(pt.SHA("c1")))
	comes(w, 10, "hubot", "/freeze dev")
	comes(w, 11, "monalisa", "/promote prod")
	comes(w, 12, "hubot", "/promote prod")
	if *asked != 3 || w.Reactions["12 rocket"] != 1 || w.Reactions["10 -1"] != 1 || w.Reactions["11 -1"] != 1 {
		t.Errorf("asked %d times, reactions %v", *asked, w.Reactions)
	}
}

package demo

import (
	"fmt"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// tellFreight says which freight is new. A promotion's commit shows it before
// the record does.
func (t *teller) tellFreight(v *view) {
	for id, title := range v.names {
		t.found(id, title, "")
	}
	if v.state == nil {
		return
	}
	for _, name := range v.pipelineNames() {
		ps := v.state.Pipelines[name]
		if ps == nil {
			continue
		}
		for _, f := range ps.Freight {
			t.found(f.ID, f.Title(), f.Artifacts[0].Title)
		}
	}
}

func (t *teller) found(id, title, about string) {
	if t.freight[id] {
		return
	}
	t.freight[id] = true
	text := title + " (" + promotion.Alias(id) + ")"
	if about != "" {
		text += ": " + about
	}
	t.say(line{who: "freight", what: "found", text: text})
}

// tellStand says where a promotion stands now.
func (t *teller) tellStand(v *view, s stand) {
	l := line{who: s.ref(), what: string(s.Phase), text: t.title(v, s)}
	switch s.Phase {
	case promotion.PhaseQueued:
		l.mark, l.style = "⏳", wait
		if s.Message != "" {
			l.text += ": " + s.Message
		}
	case promotion.PhaseRunning:
		l.mark = "🔄"
	case promotion.PhaseWaiting:
		l.mark, l.style = "⏳", wait
		if s.PullRequest != 0 {
			l.text, l.link = fmt.Sprintf("for the merge of #%d, %s", s.PullRequest, l.text), v.pullURL(s.PullRequest)
		}
	case promotion.PhaseSucceeded:
		l.mark, l.style, l.what = "✅", good, "landed"
		if s.Commit == "" {
			l.what, l.text = "done", l.text+": "+s.Message
			break
		}
		l.text, l.link = l.text+" as "+short(s.Commit), v.commitURL(s.Commit)
	case promotion.PhaseSuperseded:
		l.mark, l.text = "⏭️", s.Message
	default:
		l.mark, l.style, l.text = "❌", bad, l.text+": "+s.Message
	}
	t.say(l)
}

// title names a promotion's freight for people.
func (t *teller) title(v *view, s stand) string {
	if v.state != nil {
		if f := v.state.FreightByID(s.Pipeline, s.Freight); f != nil {
			return f.Title()
		}
	}
	named, _ := promotion.ParseName(s.Name)
	for id, title := range v.names {
		if strings.HasPrefix(id, named.Freight) {
			return title
		}
	}
	if pr, ok := v.pull(s.PullRequest); ok {
		title := strings.TrimPrefix(pr.Title, "Promote ")
		return strings.TrimSuffix(title, " to "+s.ref())
	}
	return "freight " + named.Freight
}

// tellCommands says which commands people gave, and how they were answered.
func (t *teller) tellCommands(v *view) {
	for _, c := range v.comments {
		if !c.commands() {
			continue
		}
		link := fmt.Sprintf("%s/issues/%d#issuecomment-%d", v.url, c.number, c.ID)
		if _, told := t.heard[c.ID]; !told {
			t.heard[c.ID] = ""
			t.say(line{who: c.Author, what: "comments", text: c.Body, link: link})
		}
		if mark := c.answered(t.r.w.app.Bot); mark != "" && t.heard[c.ID] != mark {
			t.heard[c.ID] = mark
			t.say(line{who: "stagecoach", mark: mark, what: "answered", text: c.Author, link: ""})
		}
	}
}

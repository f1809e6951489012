package demo

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// teller tells what happens, a line for each thing, once.
type teller struct {
	r       *reader
	out     io.Writer
	color   bool
	now     func() time.Time
	freight map[string]bool
	phases  map[string]promotion.Phase
	commits map[string]bool
	open    map[int]bool // pull requests that were seen open
	heard   map[int64]string
	sample  bool
}

func newTeller(r *reader, opts Options) *teller {
	return &teller{
		r: r, out: opts.Out, color: opts.Color, now: time.Now, sample: r.w.kept.Sample, freight: map[string]bool{},
		phases: map[string]promotion.Phase{}, commits: map[string]bool{}, open: map[int]bool{}, heard: map[int64]string{},
	}
}

// line is one line: when, who, what with its mark, the rest, and a link, which
// goes on a line of its own when it does not fit.
type line struct {
	who, mark, what string
	style           style
	text, link      string
}

const (
	whoWidth  = 10
	whatWidth = 13
)

func (t *teller) say(l line) {
	at := t.now().Format("15:04:05")
	what := strings.TrimSpace(l.mark + " " + l.what)
	if l.mark == "" {
		what = "   " + l.what
	}
	who, what := pad(clip(plain(l.who), whoWidth), whoWidth), pad(what, whatWidth)
	indent := len(at) + 2 + width(who) + 1 + width(what) + 1
	room := columns - indent
	text := plain(l.text)
	sameLine := l.link != "" && width(text)+2+width(l.link) <= room
	var b strings.Builder
	b.WriteString(paint(t.color, faint, at) + "  " + paint(t.color, bold, who) + " " + paint(t.color, l.style, what) + " " + clip(text, room))
	switch {
	case sameLine:
		b.WriteString("  " + paint(t.color, faint, l.link))
	case l.link != "":
		b.WriteString("\n" + strings.Repeat(" ", indent) + paint(t.color, faint, l.link))
	}
	fmt.Fprintln(t.out, strings.TrimRight(b.String(), " "))
}

// skip takes what a view shows for told: it was told by an earlier demo.
func (t *teller) skip(v *view) {
	out := t.out
	t.out = io.Discard
	t.tell(v)
	t.out = out
}

// tell says what is new in a view.
func (t *teller) tell(v *view) {
	t.tellPeople(v)
	t.tellFreight(v)
	for _, s := range v.stands() {
		if t.phases[s.Name] != s.Phase {
			t.phases[s.Name] = s.Phase
			t.tellStand(v, s)
		}
	}
	t.tellCommands(v)
}

// tellPeople says what people pushed and merged.
func (t *teller) tellPeople(v *view) {
	for _, pr := range v.pulls {
		if pr.State == "open" {
			t.open[pr.Number] = true
			continue
		}
		if t.open[pr.Number] {
			delete(t.open, pr.Number)
			t.tellClosed(v, pr)
		}
	}
	t.tellPushed(v, slices.DeleteFunc(slices.Clone(v.news), func(c ghsim.Commit) bool {
		return t.commits[c.SHA] || promotion.Trailer(c.Message, promotion.TrailerPromotion) != "" || v.merges(c.SHA)
	}))
}

// mostPushed bounds how many commits of one push are told.
const mostPushed = 3

func (t *teller) tellPushed(v *view, commits []ghsim.Commit) {
	for i, c := range commits {
		t.commits[c.SHA] = true
		before := len(commits) - mostPushed
		if i < before-1 {
			continue
		}
		subject, _, _ := strings.Cut(c.Message, "\n")
		l := line{who: c.Author.Name, what: "pushed", text: short(c.SHA) + " " + subject, link: v.commitURL(c.SHA)}
		if i == before-1 {
			l.text, l.link = fmt.Sprintf("%d commits, the last of them:", len(commits)), ""
		}
		t.say(l)
	}
}

func (t *teller) tellClosed(v *view, pr ghsim.PullRequest) {
	switch {
	case pr.Merged:
		t.say(line{who: pr.MergedBy, what: "merged", text: fmt.Sprintf("#%d into %s", pr.Number, pr.Base), link: v.pullURL(pr.Number)})
	default:
		t.say(line{who: "", what: "closed", text: fmt.Sprintf("#%d without a merge", pr.Number), link: v.pullURL(pr.Number)})
	}
}

// merges reports whether a commit merged a pull request.
func (v *view) merges(sha string) bool {
	for _, pr := range v.pulls {
		if pr.Merged && pr.MergeCommit == sha {
			return true
		}
	}
	return false
}

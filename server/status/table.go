package status

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// columns is how wide the text gets. Addresses are never cut.
const columns = 100

// marks are the marks of UX, one for each state, always with its word.
var marks = map[string]string{
	healthy: "✅", verifying: "⏳", unverified: "⏳", unhealthy: "❌",
	string(promotion.PhaseQueued): "⏳", string(promotion.PhaseRunning): "🔄", string(promotion.PhaseWaiting): "⏳",
	string(promotion.PhaseSucceeded): "✅", string(promotion.PhaseFailed): "❌", string(promotion.PhaseErrored): "❌",
	string(promotion.PhaseAborted): "❌", string(promotion.PhaseRejected): "❌", string(promotion.PhaseSuperseded): "⏭️",
}

// Text draws the status for a terminal.
func (s Status) Text() string {
	var b strings.Builder
	fmt.Fprintln(&b, plain(s.Repository))
	fmt.Fprintln(&b, cmp.Or(s.Issue, "no tracking issue yet"))
	for _, p := range s.Problems {
		fmt.Fprintf(&b, "❌ %s\n", wrapped(plain(p), "   "))
	}
	b.WriteByte('\n')
	s.stageTable(&b)
	s.promotionTable(&b)
	return b.String()
}

func (s Status) stageTable(b *strings.Builder) {
	rows := [][]string{{"STAGE", "RUNS", "SINCE", "HEALTH", "NOW", "QUEUE"}}
	for _, st := range s.Stages {
		now := "–"
		if one := s.promotion(st.Running); one != nil {
			now = marked(string(one.Phase)) + " " + one.Version
		}
		health := "–"
		if st.Health != "" {
			health = marked(st.Health)
		}
		since := "–"
		if st.Since != nil {
			since = day(*st.Since)
		}
		rows = append(rows, []string{
			promotion.StageRef(st.Pipeline, st.Name), cmp.Or(st.Version, "–"), since, health, now, fmt.Sprint(len(st.Queue)),
		})
	}
	drawTable(b, rows, []int{18, 20, 16, 13, 18, 5})
	for _, st := range s.Stages {
		ref := promotion.StageRef(st.Pipeline, st.Name)
		if st.Frozen != nil {
			fmt.Fprintf(b, "❄️ %s\n", wrapped(plain(ref+" is frozen: "+*st.Frozen), "   "))
		}
		if st.Paused != nil {
			fmt.Fprintf(b, "↩️ %s\n", wrapped(plain(ref+" promotes nothing by itself until /resume "+ref+": "+*st.Paused), "   "))
		}
	}
}

func (s Status) promotionTable(b *strings.Builder) {
	if len(s.Promotions) == 0 {
		b.WriteString("\nNothing was promoted yet.\n")
		return
	}
	b.WriteByte('\n')
	for _, p := range s.Promotions {
		by := "automatic"
		if !p.Automatic && p.RequestedBy != nil {
			by = "by " + *p.RequestedBy
		}
		line := fmt.Sprintf("%s %s ← %s, %s", marked(string(p.Phase)), promotion.StageRef(p.Pipeline, p.Stage), p.Version, by)
		if p.PullRequest != nil {
			line += fmt.Sprintf(", #%d", *p.PullRequest)
		}
		if p.EndedAt != nil {
			line += ", " + day(*p.EndedAt)
		}
		fmt.Fprintln(b, clip(plain(line), columns))
		if p.Message != "" {
			fmt.Fprintf(b, "   %s\n", wrapped(plain(p.Message), "   "))
		}
		if p.EndedAt == nil {
			s.progress(b, p)
		}
	}
}

// progress shows a live promotion's name, which commands take, and its steps.
func (s Status) progress(b *strings.Builder, p Promotion) {
	fmt.Fprintf(b, "   %s\n", plain(p.Name))
	var steps []string
	for _, st := range p.Steps {
		steps = append(steps, st.Uses+" "+st.Status)
	}
	if len(steps) > 0 {
		fmt.Fprintf(b, "   %s\n", wrapped(plain(strings.Join(steps, " · ")), "   "))
	}
	for _, g := range p.Gates {
		if g.Status != promotion.GateOpen {
			fmt.Fprintf(b, "   %s\n", wrapped(plain(fmt.Sprintf("%s is %s: %s", g.Name, g.Status, g.Message)), "   "))
		}
	}
}

func (s Status) promotion(name *string) *Promotion {
	for i := range s.Promotions {
		if name != nil && s.Promotions[i].Name == *name {
			return &s.Promotions[i]
		}
	}
	return nil
}

func marked(word string) string { return strings.TrimSpace(marks[word] + " " + word) }

func day(t time.Time) string { return t.UTC().Format("2 Jan 15:04 UTC") }

package handlers_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/handlers"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// The second part of the matrix: buttons of check runs and boxes of the tracking issue
// are the same commands, for every kind of person, in every state of a promotion.

// hand is a way to give a command without writing it.
type hand struct {
	name    string
	command string // the name of the order that it stands for
	// payload is the event and what GitHub sends when somebody does it.
	payload func(w *pt.World, second *promotion.Freight, sender map[string]any) (event string, payload map[string]any)
}

var hands = []hand{
	{"[promote]", "promote", pressed("promote", "dev")},
	{"[approve]", "approve", pressed("approve", "prod")},
	{"[retry]", "retry", pressed("retry", "prod")},
	{"[abort]", "abort", pressed("abort", "prod")},
	{"☑ approve", "approve", ticked("approve")},
	{"☑ retry", "retry", ticked("retry")},
}

// pressed is a button of a stage's promotion of the second freight; where there is none,
// of the first one's, which ended long ago.
func pressed(action, stage string) func(*pt.World, *promotion.Freight, map[string]any) (string, map[string]any) {
	return func(w *pt.World, second *promotion.Freight, sender map[string]any) (string, map[string]any) {
		all := w.All(stage)
		p := all[max(0, slices.IndexFunc(all, func(p *promotion.Promotion) bool { return p.Freight == second.ID }))]
		head, drawn := pt.SHA("x"), promotion.Check{Writer: w.State.Local.Writer}
		if n := len(p.Checks); n > 0 { // the run that shows how the promotion stands now
			head = p.Checks[n-1].SHA
		}
		return "check_run", map[string]any{
			"action": "requested_action", "sender": sender, "requested_action": map[string]any{"identifier": action},
			"check_run": map[string]any{
				"id": 77, "name": "stagecoach/" + stage, "head_sha": head, "external_id": p.Name, "app": map[string]any{"id": appID},
				"output": map[string]any{"title": "", "summary": drawn.Mark().String()},
			},
		}
	}
}

const appID = 4242

func ticked(name string) func(*pt.World, *promotion.Freight, map[string]any) (string, map[string]any) {
	return func(w *pt.World, _ *promotion.Freight, sender map[string]any) (string, map[string]any) {
		drawn := "- something\n  " + ledger.Box(name, "default", "prod") + "\n"
		return "issues", map[string]any{
			"action": "edited", "sender": sender, "changes": map[string]any{"body": map[string]any{"from": drawn}},
			"issue": map[string]any{
				"number": 1, "body": strings.Replace(drawn, "- [ ]", "- [x]", 1), "updated_at": w.Now.Format(time.RFC3339),
				"user": map[string]any{"id": 9, "login": "stagecoach[bot]", "type": "Bot"},
			},
		}
	}
}

// playHand is play for a hand. It has no reactions: the verdict is the core's own.
func (w trial) playHand(t *testing.T, h hand) outcome {
	t.Helper()
	world, second := staged(w.situation, w.named)
	w.person.enters(world)
	before, replies := decided(t, world), len(world.Replies)
	event, payload := h.payload(world, second, w.person.user())
	payload["installation"] = map[string]any{"id": pt.Repo.Installation}
	payload["repository"] = w.person.repository()
	raw, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(err)
	}
	events, err := handlers.Translator{BotLogin: "stagecoach[bot]", AppID: appID}.Translate(event, "guid", raw)
	if err != nil {
		t.Fatal(err)
	}
	var inputs []promotion.Input
	for _, e := range events {
		inputs = append(inputs, e)
	}
	if len(inputs) > 0 {
		world.Take(inputs...)
	}
	o := outcome{said: strings.Join(world.Replies[replies:], "\n")}
	for _, s := range world.State.Comments {
		if s.Comment == 0 && s.Cause == "guid" {
			o.seen = true
			for _, k := range s.Commands {
				o.verdict += string(k.Verdict)
			}
		}
	}
	if decided(t, world) != before {
		o.changed = "it changed something"
	}
	return o
}

// decided is what stands of the pipelines, but for the answers to buttons: each press
// is noted on the check run where it was made, a refused one too.
func decided(t *testing.T, w *pt.World) string {
	t.Helper()
	all := map[string]*promotion.PipelineState{}
	for name, ps := range w.State.Pipelines {
		own := *ps
		own.Promotions = nil
		for _, p := range ps.Promotions {
			p := *p
			p.Heard, p.Checks = nil, slices.Clone(p.Checks)
			for i := range p.Checks {
				p.Checks[i].Digest = ""
			}
			own.Promotions = append(own.Promotions, &p)
		}
		all[name] = &own
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// judgeHand says what is wrong with the outcome; "": nothing. Who is refused hears why
// in a comment that names them: there are no reactions.
func (w trial) judgeHand(o outcome) string {
	makesSense := !slices.Contains(w.order.done(w.situation), "confused")
	refused := o.verdict == "confused" || o.verdict == "-1"
	switch {
	case w.person.bot:
		if o.seen || o.said != "" || o.changed != "" {
			return "a bot is heard"
		}
	case !o.seen:
		return "it is not seen"
	case w.person.stranger(w.order.who, w.named):
		if o.verdict != "-1" || o.said != "" || o.changed != "" {
			return "a stranger is told something"
		}
	case !w.person.may(w.order.who, w.named):
		if bad := w.judgeDenied(o, makesSense); bad != "" && !(o.verdict == "+1" && !makesSense) {
			return bad
		}
	case !slices.Contains(w.order.done(w.situation), o.verdict):
		return fmt.Sprintf("want one of %v", w.order.done(w.situation))
	case o.verdict == "rocket" && o.changed == "", o.verdict == "confused" && o.changed != "":
		return "the verdict is not what was done"
	}
	switch {
	case w.person.bot || w.person.stranger(w.order.who, w.named):
	case refused && !strings.Contains(o.said, "@somebody"):
		return "who did it is not told what was wrong"
	case !refused && o.said != "":
		return "there was nothing to say"
	}
	return ""
}

func TestButtonsAndBoxesAreTheSameCommands(t *testing.T) {
	cells := 0
	for _, named := range []bool{false, true} {
		var table strings.Builder
		for _, s := range situations {
			fmt.Fprintf(&table, "\n%s (prod names who may: %v)\n%-30s", s.name, named, "")
			for _, h := range hands {
				fmt.Fprintf(&table, "%-12s", h.name)
			}
			for _, p := range persons {
				fmt.Fprintf(&table, "\n%-30s", p.name)
				for _, h := range hands {
					w := trial{p, orders[slices.IndexFunc(orders, func(o order) bool { return o.name == h.command })], s, named}
					got := w.playHand(t, h)
					if bad := w.judgeHand(got); bad != "" {
						t.Errorf("%s by %s while %s (named: %v): %s, said %q: %s", h.name, p.name, s.name, named, got, got.said, bad)
					}
					cells++
					fmt.Fprintf(&table, "%-12s", got)
				}
			}
			table.WriteString("\n")
		}
		t.Log(table.String())
	}
	t.Logf("%d cells", cells)
}

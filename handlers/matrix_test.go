package handlers_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/handlers"
	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// The matrix of who may do what, and what it does: every command, by every kind of
// person, in every state of a promotion to prod. A comment goes in as GitHub's
// webhook; reactions, answers and what becomes of the promotion come out. What is
// expected is written from the rules of docs/commands.md, not from the code.

// person is somebody in a repository.
type person struct {
	name             string
	login            string
	permission, role string // as GitHub's API tells them
	team             string // that they are in; "": none
	bot              bool
	public           bool // the repository is
}

var persons = []person{
	{name: "admin", permission: "admin", role: "admin"},
	{name: "maintain", permission: "write", role: "maintain"},
	{name: "write", permission: "write", role: "write"},
	{name: "triage", permission: "read", role: "triage"},
	{name: "read", permission: "read", role: "read"},
	{name: "outside collaborator", permission: "write", role: "write", public: true},
	{name: "triage in public", permission: "read", role: "triage", public: true},
	{name: "stranger in public", permission: "read", role: "read", public: true},
	{name: "stranger", permission: "none", role: "none"},
	{name: "in the team of allow", permission: "read", role: "read", team: "sre"},
	{name: "in the team of approvals", permission: "read", role: "read", team: "qa"},
	{name: "in the team of allow, public", permission: "read", role: "read", team: "sre", public: true},
	{name: "a bot", permission: "admin", role: "admin", bot: true},
	{name: "the app itself", login: "stagecoach[bot]", permission: "admin", role: "admin", bot: true},
}

// situation is a repository whose stage prod holds a first freight, and what goes on
// with the second one.
type situation struct {
	name string
	make func(w *pt.World, second *promotion.Freight)
	// live: a promotion to prod has not ended; open: its pull request is open; landed:
	// prod holds the second freight.
	live, open, landed bool
}

func promoteSecond(w *pt.World, f *promotion.Freight) { w.Say("octocat", "/promote prod "+f.ID[:12]) }

var situations = []situation{
	{name: "none", make: func(*pt.World, *promotion.Freight) {}},
	{name: "queued", live: true, make: func(w *pt.World, f *promotion.Freight) {
		w.Say("octocat", "/freeze prod")
		promoteSecond(w, f)
	}},
	{name: "running", live: true, make: func(w *pt.World, f *promotion.Freight) {
		w.Hold = func(e promotion.Effect) bool {
			return e.Kind == promotion.KindStep && strings.HasPrefix(e.Promotion, "prod.") && e.Step == 0
		}
		promoteSecond(w, f)
	}},
	{name: "waiting for merge", live: true, open: true, make: func(w *pt.World, f *promotion.Freight) {
		promoteSecond(w, f)
		w.Say("quentin", "/approve prod")
	}},
	{name: "waiting for approval", live: true, open: true, make: promoteSecond},
	{name: "verifying", live: true, landed: true, make: func(w *pt.World, f *promotion.Freight) {
		promoteSecond(w, f)
		w.End("prod", "merged")
	}},
	{name: "failed", make: func(w *pt.World, f *promotion.Freight) {
		promoteSecond(w, f)
		w.End("prod", "closed")
	}},
	{name: "landed", landed: true, make: func(w *pt.World, f *promotion.Freight) {
		promoteSecond(w, f)
		w.End("prod", "merged")
		w.Check(w.Landing("prod"), "e2e", "success")
	}},
}

// guarded is the pipeline: prod names who may promote and who may approve.
func guarded(named bool) *promotion.Pipeline {
	p := pt.Pipeline("default", pt.Stage("dev", "auto", "commit"), pt.Stage("prod", "after:dev"))
	prod := p.Stage("prod")
	prod.Gates.Approvals = &promotion.Approvals{Count: 1}
	prod.Verify = &promotion.Verify{Checks: []string{"e2e"}, Timeout: time.Hour, OnFailure: "hold"}
	if named {
		prod.Allow = &promotion.Allow{Teams: []string{"sre"}, Users: []string{"octocat"}}
		prod.Gates.Approvals.Teams = []string{"qa"}
	}
	return p
}

// staged plays the world up to a situation, with octocat and quentin who may all.
func staged(s situation, named bool) (*pt.World, *promotion.Freight) {
	w := pt.NewWorld(guarded(named))
	w.Teams = map[string][]string{"sre": {"octocat"}, "qa": {"quentin"}}
	w.Take(pt.Push(pt.SHA("c1")))
	w.Say("octocat", "/promote prod")
	w.End("prod", "merged")
	w.Check(w.Landing("prod"), "e2e", "success")
	w.Take(pt.PushOn(pt.SHA("c1"), pt.SHA("c2")))
	all := w.State.Pipelines["default"].Freight
	second := all[len(all)-1]
	w.Now = w.Now.Add(time.Minute)
	s.make(w, second)
	w.Now = w.Now.Add(time.Minute)
	return w, second
}

// cases of a command: what is written, and what is expected of somebody who may.
type order struct {
	name string
	text func(second *promotion.Freight) string
	who  string // allow, approvals, write, plan, anybody
	// done are the verdicts that are right in a situation.
	done func(s situation) []string
}

func always(v ...string) func(situation) []string { return func(situation) []string { return v } }

func when(cond func(situation) bool, yes, no []string) func(situation) []string {
	return func(s situation) []string {
		if cond(s) {
			return yes
		}
		return no
	}
}

var (
	live     = func(s situation) bool { return s.live }
	unlanded = func(s situation) bool { return s.live && !s.landed }
	failed   = func(s situation) bool { return s.name == "failed" }
	// wrong: it makes no sense there, or there was nothing to do and a comment says so.
	wrong = []string{"confused", "+1"}
)

func words(text string) func(*promotion.Freight) string {
	return func(*promotion.Freight) string { return text }
}

func withFreight(text string) func(*promotion.Freight) string {
	return func(f *promotion.Freight) string { return fmt.Sprintf(text, f.ID[:12]) }
}

var orders = []order{
	{"promote", withFreight("/promote prod %s"), "allow", when(live, []string{"+1"}, []string{"rocket"})},
	{"approve", words("/approve prod"), "approvals", when(unlanded, []string{"+1"}, wrong)},
	{"reject", words("/reject prod not now"), "approvals", when(unlanded, []string{"+1"}, wrong)},
	{"abort", words("/abort prod"), "allow", when(live, []string{"+1"}, wrong)},
	{"retry", words("/retry prod"), "allow", when(failed, []string{"rocket"}, wrong)},
	{"freeze", words("/freeze prod"), "allow", always("+1")},
	{"unfreeze", words("/unfreeze prod"), "allow", always("+1")},
	{"rollback", words("/rollback prod"), "allow", when(func(s situation) bool { return s.landed }, []string{"rocket"}, wrong)},
	{"resume", words("/resume prod"), "allow", always("+1")},
	{"block", withFreight("/block %s broken"), "write", always("+1")},
	{"unblock", withFreight("/unblock %s"), "write", always(wrong...)},
	{"plan", words("/plan prod"), "plan", always("+1")},
	{"status", words("/status"), "anybody", always("+1")},
	{"help", words("/help"), "anybody", always("+1")},
}

// may says whether somebody may, by the table "Who may" of docs/commands.md.
func (p person) may(who string, named bool) bool {
	writes := p.permission == "write" || p.permission == "admin"
	allowed := writes
	if named {
		allowed = p.team == "sre"
	}
	switch who {
	case "allow":
		return allowed
	case "approvals":
		if named {
			return p.team == "qa"
		}
		return allowed
	case "write":
		return writes
	case "plan":
		return writes || allowed
	}
	return true
}

// stranger has no more than everybody has, and is named nowhere: a reaction alone.
func (p person) stranger(who string, named bool) bool {
	if named && (p.team == "sre" || p.team == "qa") && who != "write" && who != "anybody" {
		return false
	}
	return p.permission == "none" || p.public && p.permission == "read" && p.role == "read"
}

// user is the person as GitHub's payloads name them.
func (p person) user() map[string]any {
	login, kind := "somebody", "User"
	if p.bot {
		login, kind = "robot[bot]", "Bot"
	}
	if p.login != "" {
		login = p.login
	}
	return map[string]any{"id": 4711, "login": login, "type": kind}
}

// repository is the one that the person is in.
func (p person) repository() map[string]any {
	return map[string]any{
		"id": pt.Repo.ID, "name": pt.Repo.Name, "full_name": pt.Repo.FullName(), "default_branch": "main", "private": !p.public, "has_issues": true,
	}
}

// enters makes the world one in which the person is somebody.
func (p person) enters(w *pt.World) {
	w.Permission, w.Role = p.permission, p.role
	if p.team != "" {
		w.Teams[p.team] = append(w.Teams[p.team], "somebody")
	}
	w.State.Repo.Private = !p.public
}

// delivered is a comment of somebody as GitHub sends it.
func delivered(t *testing.T, p person, id int64, at time.Time, body string) []promotion.Event {
	t.Helper()
	user := p.user()
	payload, err := json.Marshal(map[string]any{
		"action": "created", "issue": map[string]any{"number": 1}, "sender": user, "installation": map[string]any{"id": pt.Repo.Installation},
		"comment":    map[string]any{"id": id, "body": body, "user": user, "created_at": at.Format(time.RFC3339)},
		"repository": p.repository(),
	})
	if err != nil {
		t.Fatal(err)
	}
	events, err := handlers.Translator{BotLogin: "stagecoach[bot]"}.Translate("issue_comment", "guid", payload)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// outcome is what came of a comment.
type outcome struct {
	seen    bool
	verdict string
	said    string
	changed string // "": nothing of the pipelines
}

func (o outcome) String() string {
	mark := map[string]string{"": "·", "rocket": "🚀", "+1": "👍", "confused": "😕", "-1": "👎"}[o.verdict]
	if o.said != "" {
		mark += "…"
	}
	return mark
}

func (w trial) play(t *testing.T) outcome {
	world, second := staged(w.situation, w.named)
	w.person.enters(world)
	before, replies := world.State.Pipelines, len(world.Replies)
	var inputs []promotion.Input
	for _, e := range delivered(t, w.person, 4242, world.Now, "Please:\n"+w.order.text(second)) {
		inputs = append(inputs, e)
	}
	if len(inputs) > 0 {
		world.Take(inputs...)
	}
	o := outcome{seen: world.Reactions["4242 eyes"] > 0, said: strings.Join(world.Replies[replies:], "\n")}
	if !reflect.DeepEqual(before, world.State.Pipelines) {
		o.changed = "it changed something"
	}
	for _, v := range []string{"rocket", "+1", "confused", "-1"} {
		if world.Reactions["4242 "+v] > 0 {
			o.verdict += v
		}
	}
	return o
}

type trial struct {
	person    person
	order     order
	situation situation
	named     bool
}

// judge says what is wrong with an outcome; "": nothing.
func (w trial) judge(o outcome) string {
	makesSense := !slices.Contains(w.order.done(w.situation), "confused")
	switch {
	case w.person.bot:
		if o.seen || o.verdict != "" || o.said != "" || o.changed != "" {
			return "a bot is answered"
		}
	case !o.seen:
		return "it is not seen"
	case w.person.stranger(w.order.who, w.named):
		if o.verdict != "-1" || o.said != "" || o.changed != "" {
			return "a stranger gets 👎 alone"
		}
	case !w.person.may(w.order.who, w.named):
		return w.judgeDenied(o, makesSense)
	case !slices.Contains(w.order.done(w.situation), o.verdict):
		return fmt.Sprintf("want one of %v", w.order.done(w.situation))
	case o.verdict == "confused" && o.said == "":
		return "what is wrong is not said"
	case !makesSense && o.verdict == "+1" && o.said == "":
		return "there was nothing to do, and nobody says so"
	}
	return ""
}

// judgeDenied: who may not hears what it takes and what they have, and nothing changes.
// Where the command makes no sense that may be said first.
func (w trial) judgeDenied(o outcome, makesSense bool) string {
	switch {
	case o.changed != "":
		return "somebody who may not changed something"
	case o.verdict != "-1" && (makesSense || o.verdict != "confused" && o.verdict != "+1"):
		return "want 👎"
	case o.said == "":
		return "what it takes is not said"
	case o.verdict == "-1" && (!strings.Contains(o.said, "that takes ") || !strings.Contains(o.said, "(you have "+w.person.role+")")):
		return "it does not say what it takes and what they have: " + o.said
	}
	return ""
}

func TestWhoMayDoWhatAndWhatItDoes(t *testing.T) {
	cells := 0
	for _, named := range []bool{false, true} {
		var table strings.Builder
		for _, s := range situations {
			fmt.Fprintf(&table, "\n%s (prod names who may: %v)\n%-30s", s.name, named, "")
			for _, o := range orders {
				fmt.Fprintf(&table, "%-10s", o.name)
			}
			for _, p := range persons {
				fmt.Fprintf(&table, "\n%-30s", p.name)
				for _, o := range orders {
					w := trial{p, o, s, named}
					got := w.play(t)
					if bad := w.judge(got); bad != "" {
						t.Errorf("%s of %s while %s (named: %v): %s, said %q: %s", o.name, p.name, s.name, named, got, got.said, bad)
					}
					cells++
					fmt.Fprintf(&table, "%-10s", got)
				}
			}
			table.WriteString("\n")
		}
		t.Log(table.String())
	}
	t.Logf("%d cells", cells)
}

// What the matrix expects speaks of every command, so that a new one is put into it.
func TestTheMatrixKnowsEveryCommand(t *testing.T) {
	for _, c := range promotion.Commands {
		if !slices.ContainsFunc(orders, func(o order) bool { return o.name == c.Name }) {
			t.Errorf("/%s is in no row of the matrix", c.Name)
		}
	}
}

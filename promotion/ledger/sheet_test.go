package ledger

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// sheets are states with something in every part of a sheet.
func sheets() map[string]func() *promotion.State {
	return map[string]func() *promotion.State{
		"base": func() *promotion.State { return base() }, "two pipelines": func() *promotion.State { return base("default", "billing") },
		"held back": heldBack, "soaking": soakingQueue, "verifying": verifyingStaging, "landed past": landedPast, "hostile": hostile,
		"approvals": func() *promotion.State { return plus(guarded(), approvedOnce(gated(oneOfTwo))) },
	}
}

// What a sheet says, the issue says in the same words.
func TestSheetsSayWhatTheIssueSays(t *testing.T) {
	for name, make := range sheets() {
		if name == "hostile" {
			continue // its texts are so long that the issue cuts them sooner
		}
		s := make()
		issue, sheet := Draw(s, testLinks, day), SheetOf(s, testLinks, day)
		said := slices.Concat(sheet.Needs, sheet.Held)
		for _, p := range sheet.Pipelines {
			for _, st := range p.Stages {
				said = append(append(said, st.Runs, st.Since, st.Health, st.Next, st.Queue), st.Now...)
			}
			for _, one := range p.UnderWay {
				for _, g := range one.Gates {
					said = append(said, g.Text)
				}
			}
		}
		for _, text := range said {
			if !strings.Contains(issue, text) {
				t.Errorf("%s: the issue does not say %.300q", name, text)
			}
		}
	}
}

// openLink is a link whose brackets are not escaped.
var openLink = regexp.MustCompile(`(?:^|[^\\])\]\(javascript`)

// Every text is one line without anything that the Markdown of others would be.
func TestSheetsAreHarmless(t *testing.T) {
	for name, make := range sheets() {
		eachText(reflect.ValueOf(SheetOf(make(), testLinks, day)), func(where, text string) {
			switch {
			case where == "Promotion":
				return // the state's own, as it is
			case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }):
				t.Errorf("%s: %s holds a line break or control character: %q", name, where, text)
			case where != "Lines" && where != "Word" && where != "Name" && (strings.Contains(text, "<script") || openLink.MatchString(text)):
				t.Errorf("%s: %s holds markup: %.200q", name, where, text)
			case strings.Contains(text, "[ ]"):
				t.Errorf("%s: %s holds a box: %q", name, where, text)
			}
		})
	}
}

// eachText visits all texts in a value, with the name of the field that they stand in.
func eachText(v reflect.Value, visit func(field, text string)) { eachTextIn("", v, visit) }

func eachTextIn(field string, v reflect.Value, visit func(field, text string)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && v.Type() != reflect.TypeFor[*promotion.Promotion]() {
			eachTextIn(field, v.Elem(), visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				eachTextIn(v.Type().Field(i).Name, v.Field(i), visit)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			eachTextIn(field, v.Index(i), visit)
		}
	case reflect.String:
		visit(field, v.String())
	}
}

func TestSheetsOfPromotions(t *testing.T) {
	s := plus(guarded(), approvedOnce(gated(oneOfTwo)))
	all := SheetOf(s, testLinks, day).Pipelines[0]
	for _, list := range [][]PromotionSheet{all.UnderWay, all.Queue, all.Ended} {
		for _, want := range list {
			got, found := PromotionSheetOf(s, testLinks, day, want.Name)
			if !found || !reflect.DeepEqual(got, want) {
				t.Errorf("%s alone is told otherwise: %+v", want.Name, got)
			}
		}
	}
	if len(all.UnderWay) != 1 || len(all.Ended) == 0 {
		t.Fatalf("%d under way, %d ended", len(all.UnderWay), len(all.Ended))
	}
	one := all.UnderWay[0]
	if one.Mark != markPerson || one.Word != "waiting" || len(one.Steps) != 5 || one.Steps[4].Mark != markPerson || one.Result != "" {
		t.Errorf("under way: %+v", one)
	}
	if !slices.IsSortedFunc(all.Ended, func(a, b PromotionSheet) int { return lastFirst(a.Promotion, b.Promotion) }) || all.Ended[0].Result == "" {
		t.Error("what ended is not told the last first")
	}
	if _, found := PromotionSheetOf(s, testLinks, day, "prod.none.x"); found {
		t.Error("a promotion that is not there was found")
	}
}

// Beyond what a page can show, stages that stand side by side share a box.
func TestSheetGraphs(t *testing.T) {
	small := SheetOf(base(), testLinks, day).Pipelines[0].Graph
	if len(small.Nodes) != 4 || len(small.Edges) != 3 || !small.Nodes[0].Source || small.Nodes[1].Mark != markDone {
		t.Errorf("small: %+v", small)
	}
	large := SheetOf(hundred(), testLinks, day).Pipelines[0]
	stages := 0
	for _, n := range large.Graph.Nodes {
		stages += n.Stages
	}
	if len(large.Graph.Nodes) > manyNodes || stages != len(large.Stages) || stages < 96 {
		t.Errorf("large: %d nodes for %d of %d stages", len(large.Graph.Nodes), stages, len(large.Stages))
	}
	if worst := large.Graph.Nodes[len(large.Graph.Nodes)-1]; worst.Stages > 1 && worst.Mark != markBad {
		t.Errorf("one of many is unhealthy, and their box has the mark %q", worst.Mark)
	}
	gone := base()
	gone.Local.Config = nil
	if g := SheetOf(gone, testLinks, day).Pipelines[0].Graph; len(g.Nodes) != 0 {
		t.Errorf("without a config nobody knows what comes after what: %+v", g)
	}
}

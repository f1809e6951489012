package dashboard

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

// promotionPage is one promotion.
type promotionPage struct {
	ledger.PromotionSheet
	Ref     string // the stage, with its pipeline
	Freight string // its title
	Links   []link
	Outputs []outputs // by step
	Hidden  int       // changed files that are not listed
}

// link is a place on GitHub.
type link struct{ Text, URL string }

// outputs are what one step gave.
type outputs struct {
	Values []output
	Hidden int // that are not shown
}

type output struct{ Name, Value string }

// Bounds on what is shown of what steps gave and changed.
const (
	mostOutputs  = 50
	longestValue = 2000 // characters
	mostChanges  = 200
)

// promotion is the page of a promotion that the state holds.
func (v *visit) promotion() error {
	s, revision, err := v.state()
	if err != nil {
		return err
	}
	sheet, found := ledger.PromotionSheetOf(s, v.links, v.now(), v.r.PathValue("promotion"))
	if !found {
		return errMissing
	}
	p := sheet.Promotion
	page := promotionPage{
		PromotionSheet: sheet, Ref: promotion.StageRef(p.Pipeline, p.Stage), Freight: titleOf(s, p), Links: v.linksOf(p),
		Hidden: max(0, len(p.Changes)-mostChanges),
	}
	for _, step := range p.Steps {
		page.Outputs = append(page.Outputs, outputsOf(step.Output))
	}
	return v.pageLive("promotion", page.Freight+" to "+page.Ref, revision, page)
}

// Shown are the changed files that are listed.
func (p promotionPage) Shown() []promotion.Change {
	return p.Changes[:min(len(p.Changes), mostChanges)]
}

// HasOutputs reports whether any step gave anything.
func (p promotionPage) HasOutputs() bool {
	return slices.ContainsFunc(p.Outputs, func(o outputs) bool { return len(o.Values) > 0 })
}

// titleOf names a promotion's freight; one that is forgotten goes by its alias.
func titleOf(s *promotion.State, p *promotion.Promotion) string {
	if f := s.FreightByID(p.Pipeline, p.Freight); f != nil {
		return f.Title()
	}
	return promotion.Alias(p.Freight)
}

// linksOf are a promotion's places on GitHub.
func (v *visit) linksOf(p *promotion.Promotion) []link {
	var out []link
	add := func(text, url string) {
		if url != "" {
			out = append(out, link{text, url})
		}
	}
	repo := v.repo.FullName()
	if pr := p.PullRequest; pr != nil && pr.Number > 0 {
		page := v.links.PullRequest(repo, pr.Number)
		add(fmt.Sprintf("Pull request #%d (%s)", pr.Number, pr.State), page)
		if page != "" {
			add("Its changed files", page+"/files")
		}
	}
	if base := p.Base(); base != "" {
		add("What it changes, as a comparison", v.links.Compare(repo, base, p.Commit))
	}
	add("The commit that it made", v.links.Commit(repo, p.Commit))
	if p.Landed != p.Commit {
		add("The commit that landed", v.links.Commit(repo, p.Landed))
	}
	for _, c := range p.Checks {
		add("Check run on "+c.SHA[:min(7, len(c.SHA))], v.links.Check(repo, c.ID))
	}
	return out
}

// outputsOf are a step's outputs by name, cut to what a page can hold.
func outputsOf(all map[string]json.RawMessage) outputs {
	var out outputs
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if len(out.Values) == mostOutputs {
			out.Hidden++
			continue
		}
		out.Values = append(out.Values, output{name, readable(all[name])})
	}
	return out
}

// readable is a value for people: text as it is, all else as JSON.
func readable(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	text = strings.ToValidUTF8(text, "\ufffd")
	if runes := []rune(text); len(runes) > longestValue {
		return string(runes[:longestValue]) + "…"
	}
	return text
}

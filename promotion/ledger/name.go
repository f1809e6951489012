package ledger

import (
	"fmt"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// repo is the repository's "owner/name".
func (v *view) repo() string { return v.s.Repo.FullName() }

// stageName names a stage, safe. Config allows 40 characters; what was promoted
// before is held to no more than fits.
func stageName(pipeline, stage string) string {
	return Harmless(shorten(promotion.StageRef(pipeline, stage), 90))
}

// ref names a stage, bold.
func (v *view) ref(p *pipe, stage string) string { return "**" + stageName(p.name, stage) + "**" }

// named is the freight's title as it was written, cut to what a cell holds.
func (v *view) named(p *pipe, id string) string { return freightTitle(p.freight(id), id, v.most.name) }

// freight is the freight's title with a link to what it is.
func (v *view) freight(p *pipe, id string) string {
	return md(Harmless(v.named(p, id)), freightPage(v.links, p.freight(id)))
}

// freightTitle names freight; one that is forgotten goes by its alias.
func freightTitle(f *promotion.Freight, id string, most int) string {
	switch {
	case f != nil && len(f.Artifacts) > 0:
		return shorten(oneLine(f.Title()), most)
	case id == "":
		return "unknown freight"
	}
	return shorten(oneLine(promotion.Alias(id)), most)
}

// freightPage is the page of the freight's git commit, or "".
func freightPage(links Links, f *promotion.Freight) string {
	if f == nil {
		return ""
	}
	for _, a := range f.Artifacts {
		if page := links.Commit(a.Repo, a.Commit); page != "" {
			return page
		}
	}
	return ""
}

// commit is an abbreviated commit with its link.
func commit(links Links, repo, sha string) string {
	return md(code(short(sha)), links.Commit(repo, sha))
}

// number is a pull request with its link.
func number(links Links, repo string, n int) string {
	return md(fmt.Sprintf("#%d", n), links.PullRequest(repo, n))
}

// person is a login with its link, without the @: nobody is notified by a drawing.
func person(links Links, login string) string {
	if login == "" {
		return "somebody"
	}
	return md(Harmless(shorten(login, 50)), links.User(login))
}

// asker says who or what made a promotion.
func asker(links Links, p *promotion.Promotion) string {
	switch {
	case p.Automatic && p.RequestedBy != "":
		return "automatic, pushed by " + person(links, p.RequestedBy)
	case p.Automatic:
		return "automatic"
	}
	return "asked for by " + person(links, p.RequestedBy)
}

// place is a file with line and column and its link.
func (v *view) place(pr promotion.Problem) string {
	if pr.File == "" {
		return ""
	}
	text := shorten(pr.File, 120)
	if pr.Line > 0 {
		text += fmt.Sprintf(":%d", pr.Line)
		if pr.Column > 0 {
			text += fmt.Sprintf(":%d", pr.Column)
		}
	}
	return md(code(text), v.links.File(v.repo(), "HEAD", pr.File, pr.Line))
}

// problem is a problem's text, place and suggestion, in whole sentences.
func (v *view) problem(pr promotion.Problem) string {
	text := sentence(shorten(pr.Text, v.most.text))
	if place := v.place(pr); place != "" {
		text = strings.TrimSuffix(text, ".") + " (" + place + ")"
	}
	text = closed(text)
	if pr.Suggestion != "" {
		text += " " + suggestion(pr.Suggestion)
	}
	return text
}

// suggestion reads both of a near miss ("stages") and of a sentence.
func suggestion(text string) string {
	if text = oneLine(text); strings.ContainsRune(text, ' ') {
		return sentence(shorten(text, 200))
	}
	return "Did you mean " + code(shorten(text, 80)) + "?"
}

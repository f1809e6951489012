package markdown

import (
	"regexp"

	"github.com/microcosm-cc/bluemonday"
)

// policy lets through the elements and attributes that GitHub does:
// https://github.com/gjtorikian/html-pipeline/blob/main/lib/html_pipeline/sanitization_filter.rb
var policy = newPolicy()

func newPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowStandardURLs()
	p.AllowElements(
		"h1", "h2", "h3", "h4", "h5", "h6", "br", "b", "i", "strong", "em", "pre", "code", "tt", "div", "ins", "del", "sup", "sub",
		"p", "ol", "ul", "li", "table", "thead", "tbody", "tfoot", "tr", "td", "th", "blockquote", "dl", "dt", "dd", "kbd", "q",
		"samp", "var", "hr", "ruby", "rt", "rp", "s", "strike", "summary", "details", "caption", "figure", "figcaption", "abbr",
		"bdo", "cite", "dfn", "mark", "small", "span", "time", "wbr",
	)
	number := regexp.MustCompile(`^[0-9]{1,4}%?$`)
	p.AllowAttrs("href", "title").OnElements("a")
	p.AllowAttrs("src", "alt", "title").OnElements("img")
	p.AllowAttrs("width", "height").Matching(number).OnElements("img", "td", "th")
	p.AllowAttrs("colspan", "rowspan").Matching(number).OnElements("td", "th")
	p.AllowAttrs("start").Matching(number).OnElements("ol")
	p.AllowAttrs("open").OnElements("details")
	p.AllowAttrs("title").OnElements("abbr", "dfn", "span")
	p.AllowAttrs("datetime").OnElements("time")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(?i:left|center|right)$`)).
		OnElements("p", "div", "img", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^language-[A-Za-z0-9_+-]+$`)).OnElements("code")
	p.AllowAttrs("type").Matching(regexp.MustCompile(`^checkbox$`)).OnElements("input")
	p.AllowAttrs("checked", "disabled").OnElements("input")
	return p
}

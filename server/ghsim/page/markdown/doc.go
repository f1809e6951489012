// Package markdown renders what people and Apps write on GitHub as GitHub shows it: GitHub Flavored Markdown with the HTML
// that GitHub lets through, task lists, Mermaid flowcharts, and links made of @mentions, #numbers, commit hashes and
// addresses.
//
// What holds when Render returns: the HTML has no script, style, form or event handler and no link but http, https, mailto
// and relative ones; every element that it opens it closes, and none that it did not open, so that no text reaches out of
// the place where it is shown. Render may be called at the same time.
package markdown

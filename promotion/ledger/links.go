package ledger

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// Links builds the addresses of what has a place on GitHub. Each method gives ""
// for what has none, and md then leaves the link out.
type Links struct {
	WebURL string // https://github.com, no slash at the end
}

var (
	isCommit = regexp.MustCompile(`^[0-9a-f]{7,64}$`)
	isLogin  = regexp.MustCompile(`^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$`) // a bot's, "name[bot]", has no page of this form
	isName   = regexp.MustCompile(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$`)
)

// maxPath bounds the paths that are linked, in bytes: an address takes room
// that a list of many has not.
const maxPath = 300

// Repo is the page of "owner/name".
func (l Links) Repo(full string) string {
	if l.WebURL == "" || !isName.MatchString(full) {
		return ""
	}
	return l.WebURL + "/" + full
}

// Commit is the page of a commit, given by at least 7 hex digits.
func (l Links) Commit(full, sha string) string {
	if !isCommit.MatchString(sha) {
		return ""
	}
	return l.under(full, "/commit/"+sha)
}

// Compare is the page of what lies between two commits.
func (l Links) Compare(full, from, to string) string {
	if !isCommit.MatchString(from) || !isCommit.MatchString(to) {
		return ""
	}
	return l.under(full, "/compare/"+from+"..."+to)
}

// PullRequest is the page of pull request number.
func (l Links) PullRequest(full string, number int) string { return l.numbered(full, "pull", number) }

// Issue is the page of issue number.
func (l Links) Issue(full string, number int) string { return l.numbered(full, "issues", number) }

// Comment is a comment of an issue or pull request.
func (l Links) Comment(full string, number int, comment int64) string {
	page := l.numbered(full, "issues", number)
	if page == "" || comment <= 0 {
		return ""
	}
	return fmt.Sprintf("%s#issuecomment-%d", page, comment)
}

// Check is the page of a check run.
func (l Links) Check(full string, id int64) string {
	if id <= 0 {
		return ""
	}
	return l.under(full, fmt.Sprintf("/runs/%d", id))
}

// Branch is the page of a branch.
func (l Links) Branch(full, branch string) string { return l.under(full, "/tree/"+escaped(branch)) }

// File is a file at a branch or commit ("HEAD": the default branch), and a line
// of it, from 1; 0: the whole file.
func (l Links) File(full, ref, path string, line int) string {
	if path == "" || len(path) > maxPath {
		return ""
	}
	page := l.under(full, "/blob/"+escaped(ref)+"/"+escaped(path))
	if page != "" && line > 0 {
		page += fmt.Sprintf("#L%d", line)
	}
	return page
}

// User is the page of a person.
func (l Links) User(login string) string {
	if l.WebURL == "" || !isLogin.MatchString(login) {
		return ""
	}
	return l.WebURL + "/" + login
}

func (l Links) numbered(full, kind string, number int) string {
	if number <= 0 {
		return ""
	}
	return l.under(full, fmt.Sprintf("/%s/%d", kind, number))
}

func (l Links) under(full, rest string) string {
	repo := l.Repo(full)
	if repo == "" {
		return ""
	}
	return repo + rest
}

// escaped is a path whose segments can stand in an address and in Markdown.
func escaped(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	return strings.Join(segments, "/")
}

// md links text, which must be safe already.
func md(text, address string) string {
	if address == "" {
		return text
	}
	return "[" + text + "](" + address + ")"
}

// htmlLink is md for lines of HTML.
func htmlLink(text, address string) string {
	if address == "" {
		return text
	}
	return `<a href="` + address + `">` + text + `</a>`
}

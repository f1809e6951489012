package gitops

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// Ident is a name and an address, as commits hold them.
type Ident struct{ Name, Email string }

// CommitInfo is a commit as it stands in the repository.
type CommitInfo struct {
	SHA     string
	Tree    string
	Parents []string
	Author  Ident
	When    time.Time // of the committer
	Message string
}

// commit reads the object as a commit.
func (o *object) commit() (CommitInfo, error) {
	if o.kind != plumbing.CommitObject {
		return CommitInfo{}, fmt.Errorf("object %s is a %s, not a commit", o.hash, o.kind)
	}
	c := CommitInfo{SHA: o.hash.String()}
	head, message, _ := strings.Cut(string(o.data), "\n\n")
	c.Message = message
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch key {
		case "tree":
			c.Tree = value
		case "parent":
			c.Parents = append(c.Parents, value)
		case "author":
			c.Author, _ = parseIdent(value)
		case "committer":
			_, c.When = parseIdent(value)
		}
	}
	if _, ok := parseHash(c.Tree); !ok {
		return CommitInfo{}, fmt.Errorf("commit %s names no tree", o.hash)
	}
	return c, nil
}

// parseIdent reads NAME <EMAIL> SECONDS ZONE; what is malformed stays zero.
func parseIdent(s string) (Ident, time.Time) {
	open, end := strings.IndexByte(s, '<'), strings.LastIndexByte(s, '>')
	if open < 0 || end < open {
		return Ident{Name: strings.TrimSpace(s)}, time.Time{}
	}
	id := Ident{Name: strings.TrimSpace(s[:open]), Email: s[open+1 : end]}
	seconds, _, _ := strings.Cut(strings.TrimSpace(s[end+1:]), " ")
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return id, time.Time{}
	}
	return id, time.Unix(n, 0).UTC()
}

// encodeCommit writes a commit object; its text is cleaned so that the object
// is well-formed whatever it is given.
func encodeCommit(tree plumbing.Hash, parents []plumbing.Hash, author, committer Ident, when time.Time, message string) *object {
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", tree)
	for _, p := range parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	fmt.Fprintf(&b, "author %s %d +0000\n", author, when.Unix())
	fmt.Fprintf(&b, "committer %s %d +0000\n\n", committer, when.Unix())
	message = strings.ToValidUTF8(strings.ReplaceAll(message, "\x00", ""), "\uFFFD")
	b.WriteString(strings.TrimRight(message, "\n") + "\n")
	return newObject(plumbing.CommitObject, []byte(b.String()))
}

// String is the identity as commits spell it, without what would break them.
func (i Ident) String() string {
	clean := strings.NewReplacer("<", "", ">", "", "\n", " ", "\r", "", "\x00", "").Replace
	name := strings.TrimSpace(strings.ToValidUTF8(clean(i.Name), "\uFFFD"))
	if name == "" {
		name = "unknown"
	}
	return name + " <" + strings.ToValidUTF8(strings.ReplaceAll(clean(i.Email), " ", ""), "\uFFFD") + ">"
}

package gitops

import (
	"bytes"
	"context"
	"strings"
	"unicode/utf8"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// The ways in which a file changed.
const (
	statusAdded    = "added"
	statusModified = "modified"
	statusDeleted  = "deleted"
)

// maxLine bounds the lines that a change shows, in bytes.
const maxLine = 500

// note describes one changed file for people. The one line that changed is
// told when the old content is here: nothing is fetched for it.
func (b *builder) note(ctx context.Context, name string, old entry, had bool, n *node) {
	c := promotion.Change{Path: name, Status: statusModified}
	switch {
	case n == nil:
		c.Status = statusDeleted
	case !had:
		c.Status = statusAdded
	case old.isFile() && n.mode != modeLink:
		before, known := b.short(ctx, old.hash, nil)
		after, too := b.short(ctx, n.hash, n.data)
		if known && too {
			c.Before, c.After = oneLine(before, after)
		}
	}
	b.changes = append(b.changes, c)
}

// maxCompared bounds the files that are compared line by line, in bytes.
const maxCompared = 1 << 20

// short is the content of a file that is no large one, if it is here. data is the
// content where it is known.
func (b *builder) short(ctx context.Context, h plumbing.Hash, data []byte) ([]byte, bool) {
	if data != nil {
		return data, len(data) <= maxCompared
	}
	if n, ok := b.base.repo.length(ctx, h); !ok || n > maxCompared {
		return nil, false
	}
	o, err := b.base.repo.local(ctx, h)
	if err != nil {
		return nil, false
	}
	return o.data, true
}

// oneLine returns the one line in which two texts differ, without its ending;
// nothing when they differ in more, in a line's ending alone, or are no texts.
func oneLine(before, after []byte) (was, is string) {
	if !isText(before) || !isText(after) {
		return "", ""
	}
	a, b := lines(before), lines(after)
	if len(a) != len(b) {
		return "", ""
	}
	changed := -1
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		if changed >= 0 {
			return "", ""
		}
		changed = i
	}
	if changed < 0 || len(a[changed]) > maxLine || len(b[changed]) > maxLine {
		return "", ""
	}
	was, is = strings.TrimRight(a[changed], "\r\n"), strings.TrimRight(b[changed], "\r\n")
	if was == is {
		return "", ""
	}
	return was, is
}

func lines(text []byte) []string {
	var out []string
	for line := range strings.Lines(string(text)) {
		out = append(out, line)
	}
	return out
}

func isText(data []byte) bool { return utf8.Valid(data) && !bytes.ContainsRune(data, 0) }

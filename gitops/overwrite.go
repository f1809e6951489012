package gitops

import (
	"context"
	"fmt"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Overwrites lists the files in which a commit that makes a change anew takes away
// lines that the change as it was made first did not take away: somebody wrote
// them since, where the change writes too. Whoever wrote other lines of the same
// files is no reason.
func (r *Repository) Overwrites(ctx context.Context, first string, anew Commit) ([]string, error) {
	then, err := r.editOf(ctx, first)
	if err != nil {
		return nil, fmt.Errorf("read the change as it was: %w", err)
	}
	now, err := r.opened(ctx, anew.Parent)
	if err != nil {
		return nil, fmt.Errorf("read what the change is made on: %w", err)
	}
	var out []string
	for _, f := range anew.files {
		over, err := then.leaves(ctx, now, f)
		if err != nil {
			return nil, fmt.Errorf("compare %s with what it was: %w", f.Path, err)
		}
		if over {
			out = append(out, f.Path)
		}
	}
	return out, nil
}

// edit is a commit and what it was made on.
type edit struct{ before, after snapshot }

func (r *Repository) editOf(ctx context.Context, sha string) (e edit, err error) {
	if e.after, err = r.opened(ctx, sha); err != nil {
		return e, err
	}
	parent, err := r.firstParent(ctx, sha)
	if err != nil {
		return e, err
	}
	e.before, err = r.opened(ctx, parent)
	return e, err
}

// leaves reports whether a file, written anew over now, takes away lines that the
// edit left where it was made. What cannot be read as text may hold some.
func (e edit) leaves(ctx context.Context, now snapshot, f promotion.File) (bool, error) {
	there, had, err := now.find(ctx, f.Path)
	if err != nil || !had {
		return false, err
	}
	if before, _, err := e.before.find(ctx, f.Path); err != nil || before == there {
		return false, err // nobody touched it
	}
	if was, stood, err := e.before.find(ctx, f.Path); err != nil || stood && was == there {
		return false, err // it is as it was when the edit was made
	}
	content, err := now.repo.contentOf(ctx, f)
	if err != nil {
		return promotion.IsTerminal(err), ignoreTerminal(err)
	}
	var text [3]string
	for i, s := range []snapshot{now, e.before, e.after} {
		if text[i], err = s.text(ctx, f.Path); err != nil {
			return promotion.IsTerminal(err), ignoreTerminal(err)
		}
	}
	known := takenAway(text[1], text[2])
	for line, n := range takenAway(text[0], string(content)) {
		if n > known[line] {
			return true, nil
		}
	}
	return false, nil
}

// contentOf is the content of a file that was written or placed.
func (r *Repository) contentOf(ctx context.Context, f promotion.File) ([]byte, error) {
	n, err := recorded(f)
	if err != nil || !n.held {
		return n.data, err
	}
	return snapshot{repo: r, commit: n.from}.content(ctx, entry{name: f.Path, hash: n.hash})
}

func ignoreTerminal(err error) error {
	if promotion.IsTerminal(err) {
		return nil
	}
	return err
}

// text is a file's content, or what a link points to; "" when nothing is there.
func (s snapshot) text(ctx context.Context, name string) (string, error) {
	e, ok, err := s.find(ctx, name)
	if err != nil || !ok {
		return "", err
	}
	if err := isFile(e.mode, name); err != nil {
		return "", err
	}
	data, err := s.content(ctx, e)
	return string(data), err
}

// takenAway counts the lines of one text that another one lacks.
func takenAway(before, after string) map[string]int {
	count := map[string]int{}
	for line := range strings.Lines(before) {
		count[strings.TrimRight(line, "\r\n")]++
	}
	for line := range strings.Lines(after) {
		if key := strings.TrimRight(line, "\r\n"); count[key] > 0 {
			count[key]--
		}
	}
	return count
}

package gitops

import (
	"context"
	"fmt"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Gone lists the files, sorted, in which what a commit wrote does not stand any more
// at a later one: lines that it added are not there, or a file that it deleted is
// again. What else was written beside that does not count. Both are fetched if they
// are not here, with one request.
func (r *Repository) Gone(ctx context.Context, landed, tip string) ([]string, error) {
	m, changed, err := r.threeWay(ctx, landed, tip)
	if err != nil {
		return nil, fmt.Errorf("compare %.7s with %.7s: %w", landed, tip, err)
	}
	var out []string
	for _, name := range changed {
		gone, err := m.gone(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("compare %s of %.7s with %.7s: %w", name, landed, tip, err)
		}
		if gone {
			out = append(out, name)
		}
	}
	return out, nil
}

// gone reports whether theirs lacks what ours wrote in a file.
func (m merge) gone(ctx context.Context, name string) (bool, error) {
	ours, had, err := m.ours.find(ctx, name)
	if err != nil {
		return false, err
	}
	theirs, has, err := m.theirs.find(ctx, name)
	if err != nil || ours == theirs {
		return false, err
	}
	if had != has || !ours.isFile() || !theirs.isFile() {
		return true, nil
	}
	var text [3]string
	for i, s := range []snapshot{m.base, m.ours, m.theirs} {
		if text[i], err = s.text(ctx, name); err != nil {
			return promotion.IsTerminal(err), ignoreTerminal(err)
		}
	}
	there := takenAway(text[2], "")
	for line, n := range takenAway(text[1], text[0]) {
		if there[line] < n {
			return true, nil
		}
	}
	return false, nil
}

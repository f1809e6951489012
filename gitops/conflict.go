package gitops

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Conflicts lists the files in which a commit does not merge into another one,
// sorted: of those that it changed against its first parent, the ones that the
// other changed too, in the same lines or right beside them, as git's merge
// judges. Both are fetched if they are not here, with one request. Renames are
// not followed: a file that went is one that was deleted.
func (r *Repository) Conflicts(ctx context.Context, ours, theirs string) ([]string, error) {
	m, changed, err := r.threeWay(ctx, ours, theirs)
	if err != nil {
		return nil, fmt.Errorf("compare %.7s with %.7s: %w", ours, theirs, err)
	}
	var out []string
	for _, name := range changed {
		clash, err := m.clashes(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("compare %s of %.7s with %.7s: %w", name, ours, theirs, err)
		}
		if clash {
			out = append(out, name)
		}
	}
	return out, nil
}

// merge is a commit's first parent, the commit, and the one that it goes into.
type merge struct{ base, ours, theirs snapshot }

// threeWay opens what is to be merged, and lists what ours changed.
func (r *Repository) threeWay(ctx context.Context, ours, theirs string) (m merge, changed []string, err error) {
	if err := r.Fetch(ctx, []string{ours, theirs}); err != nil {
		return m, nil, err
	}
	parent, err := r.firstParent(ctx, ours)
	if err != nil {
		return m, nil, err
	}
	if changed, err = r.ChangedPaths(ctx, parent, ours); err != nil {
		return m, nil, err
	}
	for _, side := range []struct {
		of  *snapshot
		sha string
	}{{&m.base, parent}, {&m.ours, ours}, {&m.theirs, theirs}} {
		if *side.of, err = r.opened(ctx, side.sha); err != nil {
			return m, nil, err
		}
	}
	return m, changed, nil
}

// firstParent is the commit that one was made on; "": none.
func (r *Repository) firstParent(ctx context.Context, sha string) (string, error) {
	h, _ := parseHash(sha)
	o, err := r.object(ctx, h, h)
	if err != nil {
		return "", err
	}
	info, err := o.commit()
	if err != nil || len(info.Parents) == 0 {
		return "", err
	}
	return info.Parents[0], nil
}

// clashes reports whether a file that ours changed does not merge.
func (m merge) clashes(ctx context.Context, name string) (bool, error) {
	var side [3]entry
	for i, s := range []snapshot{m.base, m.ours, m.theirs} {
		e, ok, err := s.find(ctx, name)
		if err != nil {
			return false, err
		}
		if ok {
			side[i] = e
		}
	}
	base, ours, theirs := side[0], side[1], side[2]
	switch {
	case theirs == base:
		return m.inTheWay(ctx, name)
	case theirs == ours:
		return false, nil
	case !base.isFile() || !ours.isFile() || !theirs.isFile():
		return true, nil // added, deleted or replaced on one side, and changed on the other
	case ours.mode != base.mode && theirs.mode != base.mode && ours.mode != theirs.mode:
		return true, nil
	}
	return m.linesClash(ctx, base, ours, theirs)
}

// inTheWay reports whether a file stands where a folder on the way to name must be.
func (m merge) inTheWay(ctx context.Context, name string) (bool, error) {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		e, ok, err := m.theirs.find(ctx, dir)
		if err != nil || ok && !e.isDir() {
			return ok, err
		}
	}
	return false, nil
}

func (m merge) linesClash(ctx context.Context, base, ours, theirs entry) (bool, error) {
	var text [3][]byte
	for i, side := range []struct {
		in snapshot
		e  entry
	}{{m.base, base}, {m.ours, ours}, {m.theirs, theirs}} {
		data, err := side.in.content(ctx, side.e)
		if promotion.IsTerminal(err) {
			return true, nil // too large to be read, and so to be merged
		}
		if err != nil {
			return false, err
		}
		text[i] = data
	}
	if slices.ContainsFunc(text[:], isBinary) {
		return true, nil
	}
	return overlap(hunks(text[0], text[1]), hunks(text[0], text[2])), nil
}

// isBinary tells as git does: by a zero byte near the start.
func isBinary(data []byte) bool { return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0 }

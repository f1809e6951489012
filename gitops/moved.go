package gitops

import (
	"context"
	"fmt"

	"github.com/go-git/go-git/v5/plumbing"
)

// Moved says where files are in theirs that ours changed and that theirs does not hold
// any more: at the path of a file that came there with the very content that they had
// before ours; "" for those that are nowhere. Files that theirs holds are left out.
func (r *Repository) Moved(ctx context.Context, ours, theirs string, files []string) (map[string]string, error) {
	parent, err := r.firstParent(ctx, ours)
	if err != nil || parent == "" {
		return nil, err
	}
	base, err := r.opened(ctx, parent)
	if err != nil {
		return nil, err
	}
	there, err := r.opened(ctx, theirs)
	if err != nil {
		return nil, err
	}
	gone, byContent := map[string]string{}, map[plumbing.Hash]string{}
	for _, name := range files {
		was, had, err := base.find(ctx, name)
		if err != nil {
			return nil, err
		}
		_, stays, err := there.find(ctx, name)
		if err != nil {
			return nil, err
		}
		if had && !stays {
			gone[name], byContent[was.hash] = "", name
		}
	}
	if len(gone) == 0 {
		return nil, nil
	}
	changed, err := r.ChangedPaths(ctx, parent, theirs)
	if err != nil {
		return nil, fmt.Errorf("look where files went between %.7s and %.7s: %w", parent, theirs, err)
	}
	for _, path := range changed {
		now, ok, err := there.find(ctx, path)
		if err != nil {
			return nil, err
		}
		if name := byContent[now.hash]; ok && name != "" && gone[name] == "" {
			gone[name] = path
		}
	}
	return gone, nil
}

package gitops

import (
	"bytes"
	"context"
	"fmt"
	"path"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Place writes a file or link whose content stands elsewhere in this workspace, by
// the ID that Stat or ReadDir told of it. What the repository holds is neither read
// nor fetched, so that its size does not matter; what only another repository holds
// is. Otherwise it is as WriteFile.
func (w *Workspace) Place(ctx context.Context, name, id string, mode uint32) error {
	h, ok := parseHash(id)
	n, known := w.told[h]
	if !ok || !known {
		return promotion.Terminal(fmt.Errorf("write %s: no file with the ID %q was seen", name, id))
	}
	if n.other != nil {
		data, err := n.other.content(ctx, entry{name: path.Base(name), mode: n.mode, hash: h})
		if err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		n = written(mode, bytes.Clone(data))
	}
	n.mode = mode
	return w.put(ctx, name, n)
}

// Gather brings here what Place has to read of the files with these IDs, with one
// request for each commit that they are of. It is no error to leave it out: they come
// one by one then. IDs that are not known do not matter.
func (w *Workspace) Gather(ctx context.Context, ids ...string) error {
	commits := map[plumbing.Hash]*snapshot{}
	wanted := map[plumbing.Hash][]plumbing.Hash{}
	for _, id := range ids {
		h, _ := parseHash(id)
		if n := w.told[h]; n.other != nil {
			commits[n.other.commit] = n.other
			wanted[n.other.commit] = append(wanted[n.other.commit], h)
		}
	}
	for commit, s := range commits {
		if err := s.repo.obtain(ctx, commit, wanted[commit]); err != nil {
			return err
		}
	}
	return nil
}

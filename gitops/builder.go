package gitops

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// builder writes trees and blobs over a commit.
type builder struct {
	base    snapshot
	made    map[plumbing.Hash]*object
	changes []promotion.Change
	files   []promotion.File // the same, with their contents
}

// objects lists what was made, in a fixed order.
func (b *builder) objects() []*object {
	out := make([]*object, 0, len(b.made)+1)
	for _, o := range b.made {
		out = append(out, o)
	}
	slices.SortFunc(out, func(x, y *object) int { return cmp.Compare(x.hash.String(), y.hash.String()) })
	return out
}

func (b *builder) put(kind plumbing.ObjectType, data []byte) plumbing.Hash {
	o := newObject(kind, data)
	b.made[o.hash] = o
	return o.hash
}

// write rebuilds the tree h of folder dir with edits, whose paths are relative
// to it. Zero means empty, in and out.
func (b *builder) write(ctx context.Context, h plumbing.Hash, dir string, edits map[string]node) (plumbing.Hash, error) {
	old, err := b.base.tree(ctx, h)
	if err != nil {
		return h, err
	}
	leaves, subs := group(edits)
	entries := map[string]entry{}
	if old != nil {
		for _, e := range old.entries {
			entries[e.name] = e
		}
	}
	// A file may have become a folder, and a folder a file: what goes, goes first.
	for _, name := range sortedKeys(leaves) {
		if leaves[name].deleted {
			b.remove(ctx, entries, dir, name)
		}
	}
	for _, name := range sortedKeys(subs) {
		if err := b.sub(ctx, entries, dir, name, subs[name]); err != nil {
			return h, err
		}
	}
	for _, name := range sortedKeys(leaves) {
		if err := b.leaf(ctx, entries, dir, name, leaves[name]); err != nil {
			return h, err
		}
	}
	return b.finish(h, entries), nil
}

// group sorts edits into those of files in a folder and those of its folders.
func group(edits map[string]node) (leaves map[string]node, subs map[string]map[string]node) {
	leaves, subs = map[string]node{}, map[string]map[string]node{}
	for name, n := range edits {
		head, rest, deeper := strings.Cut(name, "/")
		if !deeper {
			leaves[name] = n
			continue
		}
		if subs[head] == nil {
			subs[head] = map[string]node{}
		}
		subs[head][rest] = n
	}
	return leaves, subs
}

// remove deletes one file.
func (b *builder) remove(ctx context.Context, entries map[string]entry, dir, name string) {
	if old, had := entries[name]; had && !old.isDir() {
		delete(entries, name)
		b.note(ctx, dir+name, old, had, nil)
		b.files = append(b.files, promotion.File{Path: dir + name, Deleted: true})
	}
}

// leaf puts one file.
func (b *builder) leaf(ctx context.Context, entries map[string]entry, dir, name string, n node) error {
	if n.deleted {
		return nil
	}
	old, had := entries[name]
	if had && old.isDir() {
		return promotion.Terminal(fmt.Errorf("%s%s was written as a file, and a folder stands there", dir, name))
	}
	e := entry{name: name, mode: n.mode, hash: n.hash}
	if e == old {
		return nil
	}
	if e.hash != old.hash && !n.held {
		b.made[n.hash] = &object{hash: n.hash, kind: plumbing.BlobObject, data: n.data}
	}
	entries[name] = e
	b.note(ctx, dir+name, old, had, &n)
	b.files = append(b.files, n.file(dir+name))
	return nil
}

// sub rebuilds one folder; a folder that holds nothing any more goes.
func (b *builder) sub(ctx context.Context, entries map[string]entry, dir, name string, edits map[string]node) error {
	old, had := entries[name]
	writes := slices.ContainsFunc(sortedKeys(edits), func(k string) bool { return !edits[k].deleted })
	if !writes && (!had || !old.isDir()) {
		return nil
	}
	if had && !old.isDir() {
		return promotion.Terminal(fmt.Errorf("a file was written in %s%s, and a file stands there", dir, name))
	}
	h, err := b.write(ctx, old.hash, dir+name+"/", edits)
	if err != nil {
		return err
	}
	if h.IsZero() {
		delete(entries, name)
	} else {
		entries[name] = entry{name: name, mode: modeDir, hash: h}
	}
	return nil
}

// finish writes the tree, unless it is the one that stood there.
func (b *builder) finish(old plumbing.Hash, entries map[string]entry) plumbing.Hash {
	if len(entries) == 0 {
		return plumbing.ZeroHash
	}
	list := make([]entry, 0, len(entries))
	for _, e := range entries {
		list = append(list, e)
	}
	data := encodeTree(list)
	if h := plumbing.ComputeHash(plumbing.TreeObject, data); h == old {
		return h
	}
	return b.put(plumbing.TreeObject, data)
}

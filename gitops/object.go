package gitops

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
)

// The modes of tree entries, as git has them.
const (
	modeDir    uint32 = 0o040000
	modeFile   uint32 = 0o100644
	modeExec   uint32 = 0o100755
	modeLink   uint32 = 0o120000
	modeModule uint32 = 0o160000
)

// emptyTree is the tree without entries. Servers need not have it to name it.
var emptyTree = newObject(plumbing.TreeObject, nil)

var errMissing = errors.New("the object is not in the clone")

// object is one immutable git object. Its tree, if it is one, is parsed once.
type object struct {
	hash plumbing.Hash
	kind plumbing.ObjectType
	data []byte

	parse sync.Once
	dir   *tree
	err   error
}

func newObject(kind plumbing.ObjectType, data []byte) *object {
	return &object{hash: plumbing.ComputeHash(kind, data), kind: kind, data: data}
}

// size is what the object costs in memory, in bytes, about.
func (o *object) size() int64 {
	n := int64(len(o.data)) + 256
	if o.kind == plumbing.TreeObject {
		n *= 4 // the parsed form
	}
	return n
}

// tree is a parsed tree object.
type tree struct {
	entries []entry
	byName  map[string]int
}

type entry struct {
	name string
	mode uint32
	hash plumbing.Hash
}

func (e entry) isDir() bool  { return e.mode == modeDir }
func (e entry) isFile() bool { return e.mode&0o170000 == 0o100000 }

// find returns the entry called name. A nil tree is empty.
func (t *tree) find(name string) (entry, bool) {
	if t == nil {
		return entry{}, false
	}
	i, ok := t.byName[name]
	if !ok {
		return entry{}, false
	}
	return t.entries[i], true
}

func (o *object) tree() (*tree, error) {
	o.parse.Do(func() {
		if o.kind != plumbing.TreeObject {
			o.err = fmt.Errorf("object %s is a %s, not a tree", o.hash, o.kind)
			return
		}
		o.dir, o.err = parseTree(o.data)
	})
	return o.dir, o.err
}

// parseTree reads the entries of a tree object: MODE SP NAME NUL HASH each.
func parseTree(data []byte) (*tree, error) {
	t := &tree{byName: map[string]int{}}
	for len(data) > 0 {
		sp := bytes.IndexByte(data, ' ')
		nul := bytes.IndexByte(data, 0)
		if sp <= 0 || nul < sp || len(data) < nul+21 {
			return nil, errors.New("malformed tree object")
		}
		mode, err := strconv.ParseUint(string(data[:sp]), 8, 32)
		if err != nil {
			return nil, errors.New("malformed mode in a tree object")
		}
		e := entry{name: string(data[sp+1 : nul]), mode: uint32(mode)}
		copy(e.hash[:], data[nul+1:])
		t.byName[e.name] = len(t.entries)
		t.entries = append(t.entries, e)
		data = data[nul+21:]
	}
	return t, nil
}

// encodeTree writes entries in git's order, in which a folder's name counts as
// if it ended in a slash.
func encodeTree(entries []entry) []byte {
	key := func(e entry) string {
		if e.isDir() {
			return e.name + "/"
		}
		return e.name
	}
	sort.Slice(entries, func(i, j int) bool { return key(entries[i]) < key(entries[j]) })
	var b bytes.Buffer
	for _, e := range entries {
		fmt.Fprintf(&b, "%o %s\x00", e.mode, e.name)
		b.Write(e.hash[:])
	}
	return b.Bytes()
}

// parseHash reads 40 hex digits.
func parseHash(s string) (plumbing.Hash, bool) {
	var h plumbing.Hash
	if len(s) != 40 {
		return h, false
	}
	_, err := hex.Decode(h[:], []byte(s))
	return h, err == nil
}

func parseHashes(list []string) ([]plumbing.Hash, error) {
	out := make([]plumbing.Hash, len(list))
	for i, s := range list {
		h, ok := parseHash(s)
		if !ok {
			return nil, fmt.Errorf("%q is no commit: 40 hex digits are needed", s)
		}
		out[i] = h
	}
	return out, nil
}

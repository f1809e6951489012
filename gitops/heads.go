package gitops

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// maxHeads bounds the branches that a clone remembers.
const maxHeads = 64

// setHead remembers that h, with its content, was fetched as the tip of branch.
// What is asked for later is asked for as an addition to it.
func (s *store) setHead(branch string, h plumbing.Hash) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.heads[branch] == h {
		return nil
	}
	for name := range s.heads {
		if len(s.heads) < maxHeads {
			break
		}
		delete(s.heads, name)
	}
	s.heads[branch] = h
	return s.writeHeads()
}

// known returns what is remembered of branch, then of any others, in all at
// most n.
func (s *store) known(branch string, n int) []plumbing.Hash {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []plumbing.Hash
	if h, ok := s.heads[branch]; ok {
		return append(out, h)
	}
	for _, name := range slices.Sorted(maps.Keys(s.heads)) {
		if h := s.heads[name]; len(out) < n && !slices.Contains(out, h) {
			out = append(out, h)
		}
	}
	return out
}

// readHeads reads packed-refs; a damaged line is no head.
func (s *store) readHeads() map[string]plumbing.Hash {
	heads := map[string]plumbing.Hash{}
	data, err := os.ReadFile(filepath.Join(s.dir, "packed-refs"))
	if err != nil {
		return heads
	}
	for line := range strings.Lines(string(data)) {
		sha, ref, _ := strings.Cut(strings.TrimSpace(line), " ")
		branch, isHead := strings.CutPrefix(ref, "refs/heads/")
		if h, ok := parseHash(sha); ok && isHead && s.holds(h) {
			heads[branch] = h
		}
	}
	return heads
}

func (s *store) holds(h plumbing.Hash) bool {
	return slices.ContainsFunc(s.packs, func(p *pack) bool { return p.has(h) })
}

func (s *store) writeHeads() error {
	var b strings.Builder
	b.WriteString("# pack-refs with: sorted \n")
	for _, name := range slices.Sorted(maps.Keys(s.heads)) {
		fmt.Fprintf(&b, "%s refs/heads/%s\n", s.heads[name], name)
	}
	return s.replace("packed-refs", []byte(b.String()))
}

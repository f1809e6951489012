package gitops

import (
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
)

// maxWished bounds how many objects one request asks for on behalf of others.
const maxWished = 1000

// wish notes which objects a caller is about to wait for, so that whoever fetches
// before it takes them along. forget takes that back.
func (c *clone) wish(hashes []plumbing.Hash) (forget func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, h := range hashes {
		c.wishes[h]++
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, h := range hashes {
			if c.wishes[h]--; c.wishes[h] == 0 {
				delete(c.wishes, h)
			}
		}
	}
}

// wished is own and what others wait for.
func (c *clone) wished(own []plumbing.Hash) []plumbing.Hash {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.Clone(own)
	for h := range c.wishes {
		if len(all) >= maxWished {
			break
		}
		all = append(all, h)
	}
	return all
}

package gitops

import (
	"fmt"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
)

// TestWhatTravelsTogether divides what is queued into pushes: different refs, not too
// many, not too large, in the order in which they came.
func TestWhatTravelsTogether(t *testing.T) {
	many := make([]string, 0, 250)
	for i := range 250 {
		many = append(many, fmt.Sprintf("b%d", i))
	}
	for name, c := range map[string]struct {
		refs []string
		size int // of each, in MiB
		want []int
	}{
		"one ref again and again": {[]string{"a", "a", "b", "a"}, 0, []int{2, 1, 1}},
		"many":                    {many, 0, []int{100, 100, 50}},
		"large ones":              {[]string{"a", "b", "c", "d", "e"}, 14, []int{2, 2, 1}},
		"one too large":           {[]string{"a", "b"}, 40, []int{1, 1}},
	} {
		p := &pusher{running: true}
		body := newObject(plumbing.BlobObject, make([]byte, c.size<<20))
		for _, ref := range c.refs {
			p.queue = append(p.queue, &job{update: update{ref: plumbing.ReferenceName(ref), objects: []*object{body}}})
		}
		var got []int
		seen := map[string]int{}
		for batch := p.take(); len(batch) > 0; batch = p.take() {
			got = append(got, len(batch))
			for _, j := range batch {
				seen[j.update.ref.String()]++
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) || p.running {
			t.Errorf("%s: pushes of %v, want %v", name, got, c.want)
		}
		for _, ref := range c.refs {
			seen[ref]--
		}
		for ref, n := range seen {
			if n != 0 {
				t.Errorf("%s: %s was sent %+d times more than asked", name, ref, n)
			}
		}
	}
}

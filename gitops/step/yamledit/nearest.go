package yamledit

import (
	"strconv"

	"go.yaml.in/yaml/v3"
)

// maxCandidates bounds the work on a misspelled key in a huge file.
const maxCandidates = 5000

// nearest returns the key of an existing value that path may have meant, "" when
// none is close.
func (f *File) nearest(path Path) string {
	want, best, bestCost := path.String(), "", 0
	seen := 0
	from, to := f.scope()
	for _, doc := range f.docs[from:to] {
		for _, n := range doc.Content {
			leaves(n, nil, func(leaf Path) bool {
				key := leaf.String()
				cost := Distance(want, key)
				sameEnd := leaf[len(leaf)-1] == path[len(path)-1]
				if (sameEnd || cost <= max(1, len(want)/3)) && (best == "" || cost < bestCost) {
					best, bestCost = key, cost
				}
				seen++
				return seen < maxCandidates
			})
		}
	}
	return best
}

// leaves visits the paths of all single values under n, until visit says no.
func leaves(n *yaml.Node, at Path, visit func(Path) bool) bool {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !leaves(n.Content[i+1], append(at[:len(at):len(at)], n.Content[i].Value), visit) {
				return false
			}
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			if !leaves(item, append(at[:len(at):len(at)], strconv.Itoa(i)), visit) {
				return false
			}
		}
	case yaml.ScalarNode:
		return len(at) == 0 || visit(at)
	}
	return true
}

// Distance counts the single-byte edits between a and b (Levenshtein). Long keys
// are compared by their first bytes.
func Distance(a, b string) int {
	const longest = 200
	a, b = a[:min(len(a), longest)], b[:min(len(b), longest)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

package config

import "go.yaml.in/yaml/v3"

// resolve follows an alias to its value.
func resolve(n *yaml.Node) *yaml.Node {
	for range maxDepth {
		if n.Kind != yaml.AliasNode || n.Alias == nil {
			break
		}
		n = n.Alias
	}
	return n
}

// pair is a key of a mapping with its value.
type pair struct{ key, value *yaml.Node }

// pairs are the keys of a mapping, those of merged mappings (<<) behind its own
// and only where it has none (https://yaml.org/type/merge.html).
func pairs(n *yaml.Node) []pair {
	var own, merged []pair
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := resolve(n.Content[i]), resolve(n.Content[i+1])
		if isMerge(key) {
			merged = append(merged, mergedPairs(value)...)
			continue
		}
		seen[key.Value] = true
		own = append(own, pair{key, value})
	}
	for _, p := range merged {
		if !seen[p.key.Value] {
			seen[p.key.Value] = true
			own = append(own, p)
		}
	}
	return own
}

func isMerge(key *yaml.Node) bool { return key.ShortTag() == "!!merge" }

func mergedPairs(value *yaml.Node) []pair {
	switch value.Kind {
	case yaml.MappingNode:
		return pairs(value)
	case yaml.SequenceNode:
		var out []pair
		for _, item := range value.Content {
			if item = resolve(item); item.Kind == yaml.MappingNode {
				out = append(out, pairs(item)...)
			}
		}
		return out
	}
	return nil
}

// get returns the value of a key of a mapping, or nil.
func get(n *yaml.Node, name string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for _, p := range pairs(n) {
		if p.key.Value == name {
			return p.value
		}
	}
	return nil
}

// items are the values of a list; none when n is no list.
func items(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	out := make([]*yaml.Node, len(n.Content))
	for i, item := range n.Content {
		out[i] = resolve(item)
	}
	return out
}

package ghsim

import (
	"encoding/base64"
	"encoding/binary"
	"time"
)

// obj is one JSON object of an answer or payload.
type obj = map[string]any

// stamp formats a time as GitHub's answers do: UTC, whole seconds.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// stampOrNull is stamp, and null for the zero time.
func stampOrNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return stamp(t)
}

func textOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// nodeID is a GraphQL ID in GitHub's present form: a type prefix and the number, packed.
func nodeID(prefix string, id int64) string {
	var raw [10]byte
	raw[0], raw[1] = 0x92, 0xcf
	binary.BigEndian.PutUint64(raw[2:], uint64(id))
	return prefix + "_" + base64.RawURLEncoding.EncodeToString(raw[:])
}

func merged(base obj, more ...obj) obj {
	out := make(obj, len(base)+8)
	for _, m := range append([]obj{base}, more...) {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

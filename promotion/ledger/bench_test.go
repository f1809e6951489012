package ledger

import "testing"

// The cost of one write of the tracking issue, without GitHub's part.
func BenchmarkEncode(b *testing.B) {
	s := queueOfThirty()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Encode(s, testKey, testLinks, day); err != nil {
			b.Fatal(err)
		}
	}
}

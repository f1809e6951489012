package ledger

import (
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

func encode(t testing.TB, s *promotion.State, now time.Time) Body {
	t.Helper()
	b, err := Encode(s, testKey, testLinks, now)
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	return b
}

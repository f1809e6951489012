package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/stagecoach-app/stagecoach/server/store"
)

// Memos is where the duty is kept.
type Memos interface {
	Memo(ctx context.Context, name string) (value []byte, revision uint64, err error)
	SetMemo(ctx context.Context, name string, value []byte, revision uint64) (uint64, error)
}

// LookAtAll has whichever process sweeps look at every repository, as with an empty
// disk, from its next turn on. One that is under way already is not begun anew.
func LookAtAll(ctx context.Context, in Memos) error {
	for {
		raw, revision, err := in.Memo(ctx, memo)
		if err != nil {
			return err
		}
		var d duty
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &d); err != nil {
				return fmt.Errorf("read the duty of the sweep: %w", err)
			}
		}
		if !d.All.IsZero() {
			return nil
		}
		d.All = time.Now().UTC()
		if raw, err = json.Marshal(d); err != nil {
			return err
		}
		if _, err = in.SetMemo(ctx, memo, raw, revision); !errors.Is(err, store.ErrLost) {
			return err
		}
	}
}

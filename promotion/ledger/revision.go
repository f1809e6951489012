package ledger

import (
	"fmt"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// RevisionOf is the revision of the record that Decode would read out of an issue's
// body, found without its overflow comments. The parameters and errors are those of
// Decode; ErrIncomplete is none of them.
func RevisionOf(text string, keys [][]byte, repoID int64, issue int, own bool) (int64, error) {
	best, err := record(text, keys, repoID, issue, own)
	return best.revision, err
}

// record is the genuine record for this place with the highest revision.
func record(text string, keys [][]byte, repoID int64, issue int, own bool) (block, error) {
	blocks, seen := findBlocks(text, keys)
	if !seen {
		return block{}, ErrNone
	}
	if len(blocks) == 0 {
		return block{}, fmt.Errorf("%w: no key of ours made its signature", ErrForged)
	}
	best, err := newest(blocks, repoID, issue, own)
	if err != nil {
		return best, err
	}
	if best.version > promotion.StateVersion {
		return best, fmt.Errorf("%w: version %d, this one reads up to %d; update this server", ErrNewer, best.version, promotion.StateVersion)
	}
	return best, nil
}

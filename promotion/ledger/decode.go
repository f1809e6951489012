package ledger

import (
	"errors"
	"fmt"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// What can be wrong with a record. Decode wraps them with what it saw.
var (
	// ErrNone means that the text holds no record: emptied, or never ours.
	ErrNone = errors.New("no record of promotions")
	// ErrForged means that there is a record that none of the keys signed, or
	// that was made for another place.
	ErrForged = errors.New("the record of promotions was not written here by this app")
	// ErrNewer means that a newer version of the app wrote the record: leave it alone.
	ErrNewer = errors.New("the record of promotions was written by a newer version of the app")
	// ErrIncomplete means that an overflow comment is missing or was edited.
	ErrIncomplete = errors.New("a part of the record of promotions is missing")
)

// Decode reads the state out of an issue's body. part gives the text of the
// overflow comment with a hash, see PartHash; it is asked only for parts that a
// genuine record names. Any of keys may have signed it.
//
// issue is the number of the issue that text stands in. own says that the app's
// bot is that issue's author; only then is a record accepted that was signed
// before the issue had its number (see the package's comment).
//
// Of several records the valid one with the highest revision counts. The state
// comes with Issue and Revision set, with this binary's Version, and with an empty
// Local. The errors are ErrNone,
// ErrForged, ErrNewer and ErrIncomplete; the last names the hash.
func Decode(text string, part func(hash string) (string, bool), keys [][]byte, repoID int64, issue int, own bool) (*promotion.State, error) {
	best, err := record(text, keys, repoID, issue, own)
	if err != nil {
		return nil, err
	}
	data, err := gather(best, part)
	if err != nil {
		return nil, err
	}
	s, err := unpack(data, maxState)
	if err != nil {
		// Signed, so it was written like this: by a broken app, or with a stolen key.
		return nil, fmt.Errorf("%w: %w", ErrForged, err)
	}
	if s.Repo.ID != repoID {
		return nil, fmt.Errorf("%w: the state is that of repository %d, not of %d", ErrForged, s.Repo.ID, repoID)
	}
	s.Version = promotion.StateVersion // an older one has nothing that this one reads otherwise
	s.Revision, s.Issue, s.Local = best.revision, issue, promotion.Local{}
	return s, nil
}

// newest picks, of genuine blocks, the one made for this place with the highest revision.
func newest(blocks []block, repoID int64, issue int, own bool) (block, error) {
	var best block
	found := false
	for _, b := range blocks {
		here := b.repo == repoID && (b.issue == issue && issue != 0 || b.issue == 0 && own)
		if here && (!found || b.revision > best.revision) {
			best, found = b, true
		}
	}
	if !found {
		b := blocks[0]
		return b, fmt.Errorf("%w: it was made for issue %d of repository %d, and stands in issue %d of %d",
			ErrForged, b.issue, b.repo, issue, repoID)
	}
	return best, nil
}

// gather puts the data together. Hashes are checked again: the caller may have
// looked them up in what somebody edited since.
func gather(b block, part func(string) (string, bool)) (string, error) {
	var data strings.Builder
	data.WriteString(b.data)
	for _, hash := range b.parts {
		text, ok := "", false
		if part != nil {
			text, ok = part(hash)
		}
		piece, held := partData(text)
		if !ok || !held || partHash(piece) != hash {
			return "", fmt.Errorf("%w: no comment holds the part %s (deleted or edited?)", ErrIncomplete, hash)
		}
		data.WriteString(piece)
	}
	return data.String(), nil
}

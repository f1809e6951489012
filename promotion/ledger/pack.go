package ledger

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// maxState bounds a state in bytes of JSON, when written and when read: a few
// kilobytes of compressed zeros must not become gigabytes of memory.
const maxState = 64 << 20

// plain is the state as the ledger keeps it, as JSON: without Local, and
// without what the block itself says (revision, issue).
func plain(s *promotion.State) ([]byte, error) {
	kept := *s
	kept.Version, kept.Revision, kept.Issue = promotion.StateVersion, 0, 0
	kept.Local = promotion.Local{}
	raw, err := json.Marshal(&kept)
	if err != nil {
		return nil, fmt.Errorf("write the state of %s as JSON: %w", s.Repo.FullName(), err)
	}
	if len(raw) > maxState {
		return nil, fmt.Errorf("the state of %s takes %d bytes, more than the %d that a ledger may hold", s.Repo.FullName(), len(raw), maxState)
	}
	return raw, nil
}

// pack compresses and encodes.
func pack(raw []byte) (string, error) {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		return "", fmt.Errorf("compress the state: %w", err)
	}
	if _, err := w.Write(raw); err != nil {
		return "", fmt.Errorf("compress the state: %w", err)
	}
	if err := w.Close(); err != nil {
		return "", fmt.Errorf("compress the state: %w", err)
	}
	return dotted.EncodeToString(out.Bytes()), nil
}

// unpack undoes pack and plain, and refuses what takes more than most bytes.
func unpack(data string, most int) (*promotion.State, error) {
	packed, err := dotted.DecodeString(data)
	if err != nil {
		return nil, fmt.Errorf("decode the state: %w", err)
	}
	raw, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), int64(most)+1))
	if err != nil {
		return nil, fmt.Errorf("decompress the state: %w", err)
	}
	if len(raw) > most {
		return nil, errors.New("decompress the state: it is larger than a ledger may be")
	}
	s := new(promotion.State)
	if err := json.Unmarshal(raw, s); err != nil {
		return nil, fmt.Errorf("read the state's JSON: %w", err)
	}
	return s, nil
}

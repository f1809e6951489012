package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

const (
	// maxText bounds every text in bytes. GitHub takes 65,536 characters at
	// least, and answers a longer PATCH with 200 and the old body.
	maxText = 59_999
	// maxPart is how much data an overflow comment takes beside its own words.
	maxPart = maxText - 200
)

// Title is the tracking issue's title.
const Title = "Promotions"

// Body is a tracking issue's content.
type Body struct {
	Title    string
	Text     string   // less than 60,000 bytes
	Overflow []string // texts of comments that Text names by hash, see PartHash: write those that are not there yet before Text
}

// Encode draws s for people and signs it for the app. The state is never
// shortened; the text for people is, so that the whole fits with as few overflow
// comments as possible. now only says which year it is.
func Encode(s *promotion.State, key []byte, links Links, now time.Time) (Body, error) {
	if err := encodable(s, key); err != nil {
		return Body{}, err
	}
	raw, err := plain(s)
	if err != nil {
		return Body{}, err
	}
	data, err := pack(raw)
	if err != nil {
		return Body{}, err
	}
	b := block{version: promotion.StateVersion, repo: s.Repo.ID, issue: s.Issue, revision: s.Revision, data: data, writer: s.Local.Writer}
	text, overflow, err := fit(s, links, now, b, key)
	if err != nil {
		return Body{}, err
	}
	return Body{Title: Title, Text: text, Overflow: overflow}, nil
}

// Hash is of what a reader sees of a body and of the state in it; not of revision, Local
// and the year that it is. Writing one over another of the same hash changes nothing
// that matters. It is much less work than Encode.
func Hash(s *promotion.State, key []byte, links Links) (string, error) {
	if err := encodable(s, key); err != nil {
		return "", err
	}
	raw, err := plain(s)
	if err != nil {
		return "", err
	}
	return hashOf(Draw(s, links, time.Time{}), raw), nil
}

// encodable says what is missing for a record that could be trusted later.
func encodable(s *promotion.State, key []byte) error {
	switch {
	case s == nil:
		return errors.New("write the ledger: there is no state")
	case len(key) == 0:
		return errors.New("write the ledger: no key to sign it with; set STAGECOACH_LEDGER_KEY or the webhook secret")
	case s.Repo.ID == 0:
		return errors.New("write the ledger: the repository's ID is not known")
	case s.Version > promotion.StateVersion:
		return fmt.Errorf("write the ledger of %s: %w (version %d)", s.Repo.FullName(), ErrNewer, s.Version)
	}
	return nil
}

// fit joins drawing and record: the fullest drawing beside which the record
// fits, or else a drawing of moderate size and overflow parts.
func fit(s *promotion.State, links Links, now time.Time, b block, key []byte) (text string, overflow []string, err error) {
	line, fullest := b.line(key), ""
	for text := range drawings(s, links, now) {
		if body := join(text, line); len(body) <= maxText {
			return body, nil, nil
		}
		if fullest == "" {
			fullest = text
		}
		if len(line) > maxText {
			break
		}
	}
	return spill(fullest, b, key)
}

// spill keeps as much of the data as fits beside the drawing; the rest becomes parts.
func spill(drawn string, b block, key []byte) (text string, overflow []string, err error) {
	data := b.data
	b.data = ""
	most := len(data)/maxPart + 1
	room := maxText - len(join(drawn, b.line(key))) - most*(len(partHash(""))+1)
	if room < 0 {
		return "", nil, fmt.Errorf("write the ledger: %d overflow parts are more than one issue can name", most)
	}
	room = min(room, len(data))
	b.data, data = data[:room], data[room:]
	for data != "" {
		n := min(maxPart, len(data))
		b.parts = append(b.parts, partHash(data[:n]))
		overflow = append(overflow, partText(data[:n]))
		data = data[n:]
	}
	return join(drawn, b.line(key)), overflow, nil
}

func join(drawn, line string) string { return strings.TrimRight(drawn, "\n") + "\n\n" + line + "\n" }

func hashOf(drawn string, raw []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%d\n%s\n", Title, len(drawn), drawn)
	h.Write(raw)
	return hex.EncodeToString(h.Sum(nil))
}

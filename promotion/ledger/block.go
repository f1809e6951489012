package ledger

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

const (
	blockOpen = "<!-- stagecoach-ledger "
	partOpen  = "<!-- stagecoach-part "
	blockEnd  = " -->"
	// writerOpen begins who wrote the record, see promotion.Local.Writer. It stands
	// outside of it: what it tells is whose write an event is of, and no more.
	writerOpen = "<!-- stagecoach-writer "
	nothing    = "-" // stands for an empty field; no character of the alphabet
)

// dotted is base64url with "." for "-", because "--" must not stand in an HTML
// comment (https://html.spec.whatwg.org/multipage/syntax.html#comments).
var dotted = base64.NewEncoding("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._").WithPadding(base64.NoPadding)

// block is the hidden line, taken apart.
type block struct {
	version  int
	repo     int64
	issue    int // 0: signed before the issue had a number
	revision int64
	parts    []string // hashes of the overflow parts, in order; they follow data
	data     string   // as written
	writer   string   // not signed: it is believed of what the app's own bot wrote; empty: not told
}

// signed is the part of the line that the signature covers.
func (b block) signed() string {
	return fmt.Sprintf("%d %d %d %d %s %s", b.version, b.repo, b.issue, b.revision,
		orNothing(strings.Join(b.parts, ",")), orNothing(b.data))
}

// line is the whole line, signed with key.
func (b block) line(key []byte) string {
	signed := b.signed()
	line := blockOpen + signed + " " + mac(key, signed) + blockEnd
	if b.writer != "" {
		line += writerOpen + b.writer + blockEnd
	}
	return line
}

// mac signs text. The prefix keeps it apart from whatever else a key may sign.
func mac(key []byte, text string) string {
	h := hmac.New(sha256.New, key)
	h.Write([]byte("stagecoach-ledger\n" + text))
	return dotted.EncodeToString(h.Sum(nil))
}

// verified reports whether one of the keys made the signature.
func verified(keys [][]byte, signed, signature string) bool {
	good := 0
	for _, key := range keys {
		if len(key) > 0 {
			good |= subtle.ConstantTimeCompare([]byte(mac(key, signed)), []byte(signature))
		}
	}
	return good == 1
}

// findBlocks gives the blocks of text whose signature holds. seen is true when
// there was one at all.
func findBlocks(text string, keys [][]byte) (blocks []block, seen bool) {
	for {
		_, after, ok := strings.Cut(text, blockOpen)
		if !ok {
			return blocks, seen
		}
		seen, text = true, after
		inner, _, ok := strings.Cut(text, blockEnd)
		// One that holds another's beginning is none; skipping it here keeps
		// the search linear in the length of the text.
		if !ok || strings.Contains(inner, blockOpen) {
			continue
		}
		if b, ok := parseBlock(inner, keys); ok {
			blocks = append(blocks, b)
		}
	}
}

// parseBlock checks the signature first: the rest is then our own writing.
func parseBlock(inner string, keys [][]byte) (block, bool) {
	at := strings.LastIndexByte(inner, ' ')
	if at < 0 || !verified(keys, inner[:at], inner[at+1:]) {
		return block{}, false
	}
	fields := strings.Split(inner[:at], " ")
	if len(fields) != 6 {
		return block{}, false
	}
	var b block
	var errs [4]error
	b.version, errs[0] = strconv.Atoi(fields[0])
	b.repo, errs[1] = strconv.ParseInt(fields[1], 10, 64)
	b.issue, errs[2] = strconv.Atoi(fields[2])
	b.revision, errs[3] = strconv.ParseInt(fields[3], 10, 64)
	for _, err := range errs {
		if err != nil {
			return block{}, false
		}
	}
	if fields[4] != nothing {
		b.parts = strings.Split(fields[4], ",")
	}
	if fields[5] != nothing {
		b.data = fields[5]
	}
	return b, true
}

func orNothing(field string) string {
	if field == "" {
		return nothing
	}
	return field
}

// partText is the comment that holds one overflow part.
func partText(data string) string {
	return "Part of the record of promotions in this issue. The app keeps it; please leave it as it is.\n\n" +
		partOpen + data + blockEnd
}

// partData is what an overflow comment holds.
func partData(text string) (string, bool) {
	_, after, ok := strings.Cut(text, partOpen)
	if !ok {
		return "", false
	}
	data, _, ok := strings.Cut(after, blockEnd)
	return data, ok && data != ""
}

func partHash(data string) string {
	sum := sha256.Sum256([]byte(data))
	return hex.EncodeToString(sum[:20])
}

// PartHash gives the hash by which a body names the overflow comment that holds
// text; ok is false when text is no overflow comment. It is computed from the
// content, so an edited comment has another hash and is simply not found.
func PartHash(text string) (hash string, ok bool) {
	data, ok := partData(text)
	if !ok {
		return "", false
	}
	return partHash(data), true
}

// PartsOf are the hashes of the overflow parts that the genuine records in text name.
func PartsOf(text string, keys [][]byte) []string {
	var out []string
	blocks, _ := findBlocks(text, keys)
	for _, b := range blocks {
		out = append(out, b.parts...)
	}
	return out
}

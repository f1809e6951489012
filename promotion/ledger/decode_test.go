package ledger

import (
	"bytes"
	"compress/flate"
	"errors"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

func TestDecodeErrors(t *testing.T) {
	s := base()
	good := encode(t, s, day).Text
	line := good[strings.Index(good, blockOpen):]
	newer := block{version: promotion.StateVersion + 1, repo: 42, issue: 5, revision: 8, data: "whatever"}.line(testKey)
	missing := block{version: promotion.StateVersion, repo: 42, issue: 5, revision: 8, parts: []string{"abc"}}.line(testKey)
	garbage := block{version: promotion.StateVersion, repo: 42, issue: 5, revision: 8, data: "AAAA"}.line(testKey)
	whole := strings.Fields(line)[7]
	unsigned := block{version: promotion.StateVersion, repo: 42, issue: 5, revision: 7, data: whole}.line(nil)
	elsewhere := block{version: promotion.StateVersion, repo: 43, issue: 5, revision: 7, data: whole}.line(testKey)
	old := base()
	old.Revision = 3
	replayed := encode(t, old, day).Text
	for _, tc := range []struct {
		name  string
		text  string
		keys  []string
		repo  int64
		issue int
		want  error
	}{
		{"good", good, []string{string(testKey)}, 42, 5, nil},
		{"an older key still verifies", good, []string{"new", string(testKey)}, 42, 5, nil},
		{"edited in a browser", strings.ReplaceAll(good, "\n", "\r\n") + "\r\nhello", []string{string(testKey)}, 42, 5, nil},
		{"an older one pasted before", replayed + good, []string{string(testKey)}, 42, 5, nil},
		{"an older one pasted behind", good + replayed, []string{string(testKey)}, 42, 5, nil},
		{"a fake pasted before", blockOpen + "2 42 5 99 - x y" + blockEnd + blockOpen + good, []string{string(testKey)}, 42, 5, nil},
		{"emptied", "", []string{string(testKey)}, 42, 5, ErrNone},
		{"only the drawing", Draw(s, testLinks, day), []string{string(testKey)}, 42, 5, ErrNone},
		{"cut off", good[:len(good)-20], []string{string(testKey)}, 42, 5, ErrForged},
		{"other key", good, []string{"other"}, 42, 5, ErrForged},
		{"no key", good, nil, 42, 5, ErrForged},
		{"empty key", unsigned, []string{""}, 42, 5, ErrForged},
		{"signed for another repository", elsewhere, []string{string(testKey)}, 42, 5, ErrForged},
		{"of another repository inside", elsewhere, []string{string(testKey)}, 43, 5, ErrForged},
		{"other repository", good, []string{string(testKey)}, 43, 5, ErrForged},
		{"other issue", good, []string{string(testKey)}, 42, 6, ErrForged},
		{"no issue", good, []string{string(testKey)}, 42, 0, ErrForged},
		{"newer", newer, []string{string(testKey)}, 42, 5, ErrNewer},
		{"newer after all", good + newer, []string{string(testKey)}, 42, 5, ErrNewer},
		{"newer, not genuine", strings.Replace(good, blockOpen, blockOpen+"9", 1), []string{string(testKey)}, 42, 5, ErrForged},
		{"a part is missing", missing, []string{string(testKey)}, 42, 5, ErrIncomplete},
		{"signed nonsense", garbage, []string{string(testKey)}, 42, 5, ErrForged},
		{"higher revision by hand", strings.Replace(line, " 42 5 7 ", " 42 5 8 ", 1), []string{string(testKey)}, 42, 5, ErrForged},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var keys [][]byte
			for _, key := range tc.keys {
				keys = append(keys, []byte(key))
			}
			got, err := Decode(tc.text, nil, keys, tc.repo, tc.issue, false)
			if !errors.Is(err, tc.want) {
				t.Fatalf("%v, want %v", err, tc.want)
			}
			if err == nil && (got.Revision != 7 || got.Issue != 5) {
				t.Errorf("revision %d of issue %d", got.Revision, got.Issue)
			}
		})
	}
}

// The first body of an issue is signed before the issue has a number. It counts
// where the app's bot is the author, and the next write binds it.
func TestFirstWrite(t *testing.T) {
	s := base()
	s.Issue, s.Revision = 0, 1
	born := encode(t, s, day)
	keys := [][]byte{testKey}
	if _, err := Decode(born.Text, nil, keys, 42, 5, false); !errors.Is(err, ErrForged) {
		t.Errorf("in somebody's issue: %v, want ErrForged", err)
	}
	if _, err := Decode(born.Text, nil, keys, 43, 5, true); !errors.Is(err, ErrForged) {
		t.Errorf("in an issue of ours elsewhere: %v, want ErrForged", err)
	}
	got, err := Decode(born.Text, nil, keys, 42, 5, true)
	if err != nil || got.Issue != 5 {
		t.Fatalf("in our issue: %+v, %v", got, err)
	}
	got.Local = s.Local
	bound := encode(t, got, day)
	if hash(t, s) != hash(t, got) {
		t.Error("the number alone asks for a second write")
	}
	if _, err := Decode(bound.Text, nil, keys, 42, 5, false); err != nil {
		t.Errorf("the next write is not bound: %v", err)
	}
	if _, err := Decode(bound.Text, nil, keys, 42, 6, true); !errors.Is(err, ErrForged) {
		t.Errorf("a bound record in another issue of ours: %v, want ErrForged", err)
	}
}

// No change of the record's line goes unnoticed, in whichever byte.
func TestFlippedByte(t *testing.T) {
	s := &promotion.State{Version: promotion.StateVersion, Revision: 7, Issue: 5, Repo: promotion.Repo{ID: 42, Owner: "acme", Name: "gitops"}}
	text := encode(t, s, day).Text
	from := strings.Index(text, blockOpen)
	until := strings.LastIndex(text, blockEnd) + len(blockEnd)
	for at := from; at < until; at++ {
		for _, flip := range []byte{1, 2, 0x20, 0x80} {
			changed := []byte(text)
			changed[at] ^= flip
			if got, err := decode(Body{Text: string(changed)}, s); err == nil {
				t.Fatalf("byte %d (%q) changed to %q: decoded to %+v", at, text[at], changed[at], got)
			}
		}
	}
}

func TestOverflowParts(t *testing.T) {
	s := manyComments(4000)
	b := encode(t, s, day)
	if len(b.Overflow) < 2 {
		t.Fatalf("%d overflow parts", len(b.Overflow))
	}
	if _, err := decode(b, s); err != nil {
		t.Fatal(err)
	}
	for i, part := range b.Overflow {
		hash, ok := PartHash(part)
		if !ok || !strings.Contains(b.Text, hash) {
			t.Fatalf("part %d is not named in the body", i)
		}
		edited := strings.Replace(part, partOpen, partOpen+"A", 1)
		for name, have := range map[string]func(string) (string, bool){
			"gone":                      lookup(append(append([]string{}, b.Overflow[:i]...), b.Overflow[i+1:]...)),
			"edited, found by its hash": lookup(append(append([]string{edited}, b.Overflow[:i]...), b.Overflow[i+1:]...)),
			"edited after it was found": func(h string) (string, bool) {
				return map[bool]string{true: edited, false: find(b, h)}[h == hash], true
			},
			"another comment in its place": func(h string) (string, bool) { return "hello", true },
		} {
			_, err := Decode(b.Text, have, [][]byte{testKey}, 42, 5, false)
			if !errors.Is(err, ErrIncomplete) {
				t.Errorf("part %d %s: %v, want ErrIncomplete", i, name, err)
			}
			if name != "another comment in its place" && !strings.Contains(err.Error(), hash) {
				t.Errorf("part %d %s: %v does not name %s", i, name, err, hash)
			}
		}
	}
}

func find(b Body, hash string) string { text, _ := lookup(b.Overflow)(hash); return text }

func manyComments(n int) *promotion.State {
	s := base()
	for i := range n {
		s.Comments = append(s.Comments, &promotion.CommentState{Comment: int64(i), By: sha(string(rune(i))), At: day})
	}
	return s
}

// A state that unpacks to more than a ledger may hold is refused, not read.
func TestBomb(t *testing.T) {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("{}" + strings.Repeat(" ", 998))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data := dotted.EncodeToString(packed.Bytes())
	if _, err := unpack(data, 1000); err != nil {
		t.Error(err)
	}
	if _, err := unpack(data, 999); err == nil || !strings.Contains(err.Error(), "larger") {
		t.Errorf("%v, want that it is too large", err)
	}
}

// Nothing of the record can end the comment that hides it, also for old browsers.
func TestRecordStaysHidden(t *testing.T) {
	for _, text := range append(encode(t, manyComments(4000), day).Overflow, encode(t, base(), day).Text) {
		at := strings.LastIndex(text, "<!-- ")
		inner, rest, ok := strings.Cut(text[at+len("<!-- "):], " -->")
		if !ok || strings.Contains(inner, "--") || strings.ContainsAny(inner, "<>\n") || strings.TrimSpace(rest) != "" {
			t.Errorf("not one hidden line at the end: %.80q … %.80q", inner, rest)
		}
	}
}

func FuzzDecode(f *testing.F) {
	s := base()
	good := encode(f, s, day).Text
	f.Add(good, 3, byte(1))
	f.Add(good[strings.Index(good, blockOpen):], 40, byte(0x20))
	f.Add(strings.Repeat(blockOpen, 50)+blockEnd, 0, byte(0))
	f.Add(partText("abc"), 0, byte(0))
	f.Fuzz(func(t *testing.T, text string, at int, flip byte) {
		part := func(string) (string, bool) { return text, true }
		got, err := Decode(text, part, [][]byte{testKey}, 42, 5, true)
		if err == nil && !strings.Contains(text, good[strings.Index(good, blockOpen):strings.LastIndex(good, blockEnd)]) {
			t.Errorf("decoded what was never encoded: %+v", got)
		}
		from, until := strings.Index(good, blockOpen), strings.LastIndex(good, blockEnd)+len(blockEnd)
		changed := []byte(good)
		where := from + int(uint(at)%uint(until-from))
		changed[where] ^= flip
		if _, err := Decode(string(changed), nil, [][]byte{testKey}, 42, 5, true); err == nil && flip != 0 {
			t.Errorf("byte %d changed by %x, and decoded", where, flip)
		}
	})
}

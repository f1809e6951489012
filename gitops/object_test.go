package gitops

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

func FuzzTree(f *testing.F) {
	f.Add([]byte("100644 a\x0012345678901234567890"))
	f.Add([]byte("40000 a\x001234567890123456789040755"))
	f.Add([]byte("100644 \x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		parsed, err := parseTree(data)
		if err != nil {
			return
		}
		again, err := parseTree(encodeTree(append([]entry{}, parsed.entries...)))
		if err != nil || len(again.entries) != len(parsed.entries) {
			t.Errorf("%d entries were written, %d read: %v", len(parsed.entries), len(again.entries), err)
		}
	})
}

func FuzzCommit(f *testing.F) {
	f.Add("octocat", "octocat@example.com", "subject\n\nStagecoach-Stage: prod")
	f.Add("<>\n\x00", " ", "\x00\xff")
	f.Fuzz(func(t *testing.T, name, mail, message string) {
		id := Ident{name, mail}
		when := time.Unix(1700000000, 0)
		parent := plumbing.NewHash(strings.Repeat("a", 40))
		info, err := encodeCommit(emptyTree.hash, []plumbing.Hash{parent}, id, id, when, message).commit()
		if err != nil {
			t.Fatal(err)
		}
		if info.Tree != emptyTree.hash.String() || len(info.Parents) != 1 || !info.When.Equal(when) || info.Author.String() != id.String() {
			t.Errorf("read %+v", info)
		}
	})
}

// FuzzUnpack gives broken packs: no panic, and no object that is not its hash.
func FuzzUnpack(f *testing.F) {
	var b bytes.Buffer
	if err := encodePack(&b, []*object{newObject(plumbing.BlobObject, []byte("hello")), emptyTree}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("PACK\x00\x00\x00\x02\x00\x00\x00\x01"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := unpack(bytes.NewReader(data), 1<<20, func(plumbing.Hash) *object { return nil })
		for _, o := range got {
			if err == nil && plumbing.ComputeHash(o.kind, o.data) != o.hash {
				t.Error("an object is not its hash")
			}
		}
	})
}

func TestUnpackIsBounded(t *testing.T) {
	var b bytes.Buffer
	if err := encodePack(&b, []*object{newObject(plumbing.BlobObject, make([]byte, 1000))}); err != nil {
		t.Fatal(err)
	}
	if _, err := unpack(&b, 999, nil); err == nil {
		t.Error("a pack larger than the bound was read")
	}
}

func FuzzPath(f *testing.F) {
	for _, p := range []string{"a/b", "../a", "/a", "a/../..", "", ".", "a//b/", "a\x00"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		clean, err := cleanPath(p)
		if err != nil {
			return
		}
		if strings.HasPrefix(clean, "/") || clean == ".." || strings.HasPrefix(clean, "../") || strings.Contains(clean, "\x00") {
			t.Errorf("%q became %q", p, clean)
		}
		if again, err := cleanPath(clean); again != clean || err != nil {
			t.Errorf("%q became %q, then %q", p, clean, again)
		}
	})
}

func TestOneLine(t *testing.T) {
	cases := []struct{ before, after, was, is string }{
		{"a\nb\nc\n", "a\nB\nc\n", "b", "B"},
		{"a\r\nb\r\n", "a\r\nc\r\n", "b", "c"},
		{"a", "b", "a", "b"},
		{"a\nb\n", "x\ny\n", "", ""},
		{"a\n", "a\nb\n", "", ""},
		{"a\n", "a\r\n", "", ""},
		{"a\n", "a", "", ""},
		{"a\x00\n", "b\x00\n", "", ""},
		{"a\n", "\xff\n", "", ""},
		{"a\n", "a\n", "", ""},
		{"a\n", strings.Repeat("b", maxLine+1) + "\n", "", ""},
	}
	for _, c := range cases {
		if was, is := oneLine([]byte(c.before), []byte(c.after)); was != c.was || is != c.is {
			t.Errorf("oneLine(%q, %q) = %q, %q", c.before, c.after, was, is)
		}
	}
}

func TestRecentIsBounded(t *testing.T) {
	m := newRecent(10_000)
	var all []*object
	for i := range 100 {
		o := newObject(plumbing.BlobObject, bytes.Repeat([]byte{byte(i)}, 744))
		all = append(all, o)
		m.put(1, o)
		m.get(1, all[0].hash)
	}
	m.put(1, newObject(plumbing.BlobObject, make([]byte, 9000)))
	if m.used > m.limit || m.order.Len() != 10 || len(m.at) != 10 {
		t.Errorf("%d bytes in %d objects", m.used, m.order.Len())
	}
	if m.get(1, all[0].hash) == nil || m.get(1, all[99].hash) == nil || m.get(1, all[50].hash) != nil {
		t.Error("what is kept is not what was used last")
	}
	if m.get(2, all[99].hash) != nil {
		t.Error("another repository reads it")
	}
}

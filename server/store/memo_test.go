package store

import "testing"

func TestMemoIsTakenOnce(t *testing.T) {
	dir := t.TempDir()
	js := serve(t, dir)
	one, two := open(t, js), open(t, js)
	value, revision, err := one.Memo(t.Context(), "sweep")
	ok(t, err)
	if value != nil || revision != 0 {
		t.Fatalf("there is a memo before anybody wrote one: %q", value)
	}
	first, err := one.SetMemo(t.Context(), "sweep", []byte("one"), 0)
	ok(t, err)
	_, err = two.SetMemo(t.Context(), "sweep", []byte("two"), 0)
	wants(t, err, ErrLost)
	next, err := two.SetMemo(t.Context(), "sweep", []byte("two"), first)
	ok(t, err)
	_, err = one.SetMemo(t.Context(), "sweep", []byte("three"), first)
	wants(t, err, ErrLost)
	value, revision, err = one.Memo(t.Context(), "sweep")
	ok(t, err)
	if string(value) != "two" || revision != next {
		t.Errorf("got %q at %d, want two at %d", value, revision, next)
	}
}

func TestMemoNames(t *testing.T) {
	s := newStore(t)
	for _, name := range []string{"", "a.b", "*", ">", "Sweep"} {
		if _, err := s.SetMemo(t.Context(), name, []byte("x"), 0); err == nil {
			t.Errorf("%q was taken for a name", name)
		}
	}
}

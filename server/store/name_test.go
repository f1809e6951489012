package store

import (
	"regexp"
	"testing"
)

// All processes that share a store know it by one name, and so does the next life.
func TestNameStays(t *testing.T) {
	dir := t.TempDir()
	js := serve(t, dir)
	name, err := open(t, js).Name(t.Context())
	ok(t, err)
	if !regexp.MustCompile(`^[0-9]{13}-[0-9a-f]{8}$`).MatchString(name) {
		t.Errorf("the name is %q", name)
	}
	again, err := open(t, js).Name(t.Context())
	ok(t, err)
	other, err := newStore(t).Name(t.Context())
	ok(t, err)
	if again != name || other == name {
		t.Errorf("%q became %q; another store is called %q", name, again, other)
	}
}

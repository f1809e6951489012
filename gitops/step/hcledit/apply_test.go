package hcledit

import (
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

// An edit that would do other than it says is given up, and the file is as it was.
func TestApplyGivesUp(t *testing.T) {
	const text = "a = 1\nb = 2\n"
	for _, tt := range []struct{ name, old, text, want string }{
		{"a key", "a =", "c =", "could not be found again"}, {"another value", "1", "4", "could not be found again"}, {"no HCL", "1", "1 1", "its outcome would be"},
	} {
		f, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		start := strings.Index(text, tt.old)
		end := start + len(tt.old)
		if err := f.apply(yamledit.Path{"a"}, start, end, tt.text, "3"); err == nil || !strings.Contains(err.Error(), tt.want) || string(f.Bytes()) != text {
			t.Errorf("%s: %v, and the text is %q", tt.name, err, f.Bytes())
		}
	}
}

// What stands before and behind the value keeps its tokens.
func TestApplyKeepsTheRest(t *testing.T) {
	const text = "a = 1\nb = 2 /* x */\n"
	f, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	err = f.apply(yamledit.Path{"a"}, 4, 5, "3 /*", "3") // b would become part of the comment
	if err == nil || !strings.Contains(err.Error(), "also change something else") || string(f.Bytes()) != text {
		t.Errorf("%v, and the text is %q", err, f.Bytes())
	}
}

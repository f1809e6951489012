package jsonedit

import (
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

// An edit that would do other than it says is given up, and the file is as it was.
func TestApplyGivesUp(t *testing.T) {
	const text = `{"a": 1, "b": 2}`
	for _, tt := range []struct{ name, old, text, want string }{
		{"beyond the value", "1, \"b\": 2", "3, \"b\": 4", "also change something else"}, {"a key", "\"a\"", "\"c\"", "could not be found again"}, {"no JSON", "1", "1,", "its outcome would be"},
	} {
		f, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		start := strings.Index(text, tt.old)
		end := start + len(tt.old)
		if err := f.apply(yamledit.Path{"a"}, start, end, tt.text); err == nil || !strings.Contains(err.Error(), tt.want) || string(f.Bytes()) != text {
			t.Errorf("%s: %v, and the text is %q", tt.name, err, f.Bytes())
		}
	}
}

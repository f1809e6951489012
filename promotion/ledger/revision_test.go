package ledger

import (
	"errors"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// RevisionOf says what Decode would, and needs no overflow comment for it.
func TestRevisionOf(t *testing.T) {
	s := base()
	s.Issue, s.Revision = 5, 8
	body := encode(t, s, day)
	at := func(text string, keys [][]byte, repo int64, issue int) (int64, error) {
		return RevisionOf(text, keys, repo, issue, true)
	}
	if n, err := at(body.Text, [][]byte{testKey}, s.Repo.ID, 5); n != 8 || err != nil {
		t.Errorf("revision %d, %v", n, err)
	}
	newer := block{version: promotion.StateVersion + 1, repo: s.Repo.ID, issue: 5, revision: 9, data: "x"}.line(testKey)
	missing := block{version: promotion.StateVersion, repo: s.Repo.ID, issue: 5, revision: 9, data: "x", parts: []string{partHash("y")}}.line(testKey)
	for name, c := range map[string]struct {
		text  string
		key   string
		issue int
		want  error
		n     int64
	}{
		"emptied":               {"", string(testKey), 5, ErrNone, 0},
		"another key":           {body.Text, "another", 5, ErrForged, 0},
		"another issue":         {body.Text, string(testKey), 6, ErrForged, 0},
		"a version to come":     {body.Text + newer, string(testKey), 5, ErrNewer, 9},
		"a part is missing":     {missing, string(testKey), 5, nil, 9},
		"the higher one of two": {missing + body.Text, string(testKey), 5, nil, 9},
	} {
		n, err := at(c.text, [][]byte{[]byte(c.key)}, s.Repo.ID, c.issue)
		if !errors.Is(err, c.want) || c.want == nil && err != nil || c.n != 0 && n != c.n {
			t.Errorf("%s: revision %d, %v", name, n, err)
		}
	}
}

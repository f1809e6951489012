package ledger

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/promotion"
)

func encode(t testing.TB, s *promotion.State, now time.Time) Body {
	t.Helper()
	b, err := Encode(s, testKey, testLinks, now)
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	for _, text := range append([]string{b.Text}, b.Overflow...) {
		if len(text) >= 60_000 {
			t.Errorf("a text has %d bytes", len(text))
		}
	}
	return b
}

func hash(t testing.TB, s *promotion.State) string {
	t.Helper()
	h, err := Hash(s, testKey, testLinks)
	if err != nil {
		t.Fatalf("hash: %v", err)
	}
	return h
}

// lookup finds overflow comments as the caller does: by the hash of their content.
func lookup(comments []string) func(string) (string, bool) {
	byHash := map[string]string{}
	for _, c := range comments {
		if hash, ok := PartHash(c); ok {
			byHash[hash] = c
		}
	}
	return func(hash string) (string, bool) { c, ok := byHash[hash]; return c, ok }
}

func decode(b Body, s *promotion.State) (*promotion.State, error) {
	return Decode(b.Text, lookup(b.Overflow), [][]byte{testKey}, s.Repo.ID, s.Issue, false)
}

func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 30 {
		s := randomState(r)
		b := encode(t, s, day)
		got, err := decode(b, s)
		if err != nil {
			t.Fatalf("state %d: %v", i, err)
		}
		if diff := cmp.Diff(s, got); diff != "" {
			t.Fatalf("state %d came back otherwise (-want +got):\n%s", i, diff)
		}
		if again := encode(t, got, day); again.Text != b.Text || hash(t, got) != hash(t, s) {
			t.Fatalf("state %d: the text is not the same the second time", i)
		}
		if i < 8 {
			harmlessHTML(t, render(t, b.Text))
		}
	}
}

func TestLocalStaysHere(t *testing.T) {
	s := base()
	s.Local.Tips = map[string]string{"main": "zzz"}
	before := *s
	got, err := decode(encode(t, s, day), s)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(promotion.Local{}, got.Local); diff != "" {
		t.Error("Local came with it:\n" + diff)
	}
	if diff := cmp.Diff(before, *s); diff != "" {
		t.Error("Encode changed the state that it was given:\n" + diff)
	}
}

func TestHashCoversWhatMatters(t *testing.T) {
	first := hash(t, base())
	for _, tc := range []struct {
		name   string
		change func(*promotion.State)
		same   bool
	}{
		{"nothing", func(*promotion.State) {}, true},
		{"revision", func(s *promotion.State) { s.Revision++ }, true},
		{"the issue's number", func(s *promotion.State) { s.Issue = 6 }, true},
		{"tips", func(s *promotion.State) { s.Local.Tips = map[string]string{"main": "x"} }, true},
		{"what is drawn of Local", func(s *promotion.State) { s.Local.Config["default"].Stages[0].Auto = true }, false},
		{"what is not drawn", func(s *promotion.State) { s.Pipelines["default"].NextNumber++ }, false},
		{"a problem", func(s *promotion.State) { s.Problems = []promotion.Problem{{Text: "x"}} }, false},
	} {
		s := base()
		tc.change(s)
		if got := hash(t, s); (first == got) != tc.same {
			t.Errorf("%s: same is %v, want %v", tc.name, !tc.same, tc.same)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	for name, s := range map[string]*promotion.State{
		"no state": nil, "no repository": {}, "newer": {Repo: promotion.Repo{ID: 1}, Version: promotion.StateVersion + 1},
	} {
		if _, err := Encode(s, testKey, testLinks, day); err == nil {
			t.Errorf("%s: encoded", name)
		}
		if _, err := Hash(s, testKey, testLinks); err == nil {
			t.Errorf("%s: it has a hash", name)
		}
	}
	if _, err := Encode(base(), nil, testLinks, day); err == nil {
		t.Error("signed without a key")
	}
	if _, err := Encode(&promotion.State{Repo: promotion.Repo{ID: 1}, Version: 9}, testKey, testLinks, day); !errors.Is(err, ErrNewer) {
		t.Errorf("a newer state: %v, want ErrNewer", err)
	}
}

// A thousand queued promotions, each with freight of its own, fit.
func TestThousandQueued(t *testing.T) {
	for _, many := range []int{0, 100, 1000} {
		s := base()
		ps := s.Pipelines["default"]
		for i := range many {
			f := webFreight(3 + i)
			f.Artifacts[0].Title = fmt.Sprint("Change ", sha(fmt.Sprint("title", i))[:12])
			ps.Freight = append(ps.Freight, f)
			p := attempt("default", "prod", f, day.Add(time.Duration(i)*1234567*time.Microsecond), promotion.PhaseQueued)
			if i < 10 { // the core says of the first ten what they wait for
				p.Gates, p.Message = append(mergeGates(oneOfTwo, windowShut), soaking, frozenGate), soaking.Text
			}
			ps.Promotions = append(ps.Promotions, p)
		}
		b := encode(t, s, day)
		sizes := []int{len(b.Text)}
		for _, part := range b.Overflow {
			sizes = append(sizes, len(part))
		}
		t.Logf("%d queued: body and overflow comments of %d bytes; the drawing has %d", many, sizes, len(Draw(s, testLinks, day)))
		got, err := decode(b, s)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(got.Pipelines["default"].Promotions); n != many+5 {
			t.Errorf("%d promotions came back of %d", n, many+5)
		}
		if many <= 100 && len(b.Overflow) != 0 {
			t.Errorf("%d promotions overflow", many)
		}
		if shown := strings.Count(b.Text, "⏳ Soaking until"); many > 0 && shown < 10 {
			t.Errorf("%d queued: only %d say what they wait for", many, shown)
		}
		if many > 20 && !strings.Contains(b.Text, "… and ") {
			t.Error("the list for people does not say that it is shortened")
		}
	}
}

// However much there is to draw, the drawing leaves room for the record.
func TestDrawingStaysSmall(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	s := base()
	s.Repo.Idle, s.Local.Config = strings.Repeat(nasty, 50), map[string]*promotion.Pipeline{}
	for i := range 25 {
		name := fmt.Sprintf("p%d-%s", i, strings.Repeat("x", 200))
		other := hostile()
		other.Local.Config["default"].Path = strings.Repeat("`|<", 3000)
		s.Pipelines[name], s.Local.Config[name] = other.Pipelines["default"], other.Local.Config["default"]
		s.Problems = append(s.Problems, promotion.Problem{Text: strings.Repeat("<&`|", 2000) + randomText(r), File: strings.Repeat("a/", 5000)})
	}
	if n := len(Draw(s, testLinks, day)); n > maxDrawing {
		t.Errorf("the drawing has %d bytes", n)
	}
	if _, err := decode(encode(t, s, day), s); err != nil {
		t.Error(err)
	}
	v := newView(s, testLinks, day)
	v.most = levels[len(levels)-1]
	if smallest := v.draw(); len(smallest) > maxDrawing {
		t.Errorf("the last level has %d bytes: the worst repository is told nothing", len(smallest))
	}
}

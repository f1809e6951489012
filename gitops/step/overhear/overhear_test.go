package overhear_test

import (
	"bytes"
	"fmt"
	"log"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stagecoach-app/stagecoach/gitops/step/overhear"
	"github.com/stagecoach-app/stagecoach/internal/deptest"
)

// It knows nothing but the standard library.
func TestImports(t *testing.T) { deptest.Imports(t) }

// TestEachHearsItsOwn: lines go to the goroutine that wrote them, and all others where
// they went, before, meanwhile and after.
func TestEachHearsItsOwn(t *testing.T) {
	var out bytes.Buffer
	defer log.SetOutput(log.Writer())
	log.SetOutput(&out)
	stopAll := overhear.Listen(func(string, bool) { t.Error("the test wrote nothing") })
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			var got []string
			stop := overhear.Listen(func(text string, fatal bool) { got = append(got, fmt.Sprintf("%s %v", text, fatal)) })
			log.Printf("line %d", i)
			slog.Warn("of slog", "n", i)
			stop()
			log.Print("after it listened")
			if want := []string{fmt.Sprintf("line %d false", i), fmt.Sprintf("of slog n=%d false", i)}; !slices.Equal(got, want) {
				t.Errorf("%d heard %q", i, got)
			}
		})
	}
	group.Go(func() { log.Print("of somebody else") })
	group.Wait()
	stopAll()
	log.Print("afterwards")
	if got := out.String(); strings.Count(got, "\n") != 10 || strings.Count(got, "after it listened\n") != 8 || !strings.Contains(got, "of somebody else\n") || !strings.Contains(got, "afterwards\n") {
		t.Errorf("the log has %q", got)
	}
}

// TestALibraryCannotEndTheProcess: who listens may panic in the place of log.Fatal.
func TestALibraryCannotEndTheProcess(t *testing.T) {
	for _, end := range []func(){func() { log.Fatalf("the %s", "end") }, func() { log.Default().Fatal("the end") }} {
		func() {
			defer func() {
				if r := recover(); r != "the end" {
					t.Errorf("it gave up with %v", r)
				}
			}()
			defer overhear.Listen(func(text string, fatal bool) {
				if fatal {
					panic(text)
				}
			})()
			log.Print("no end")
			end()
		}()
	}
}

func TestWarnings(t *testing.T) {
	var w overhear.Warnings
	if w.Any() || w.Told("Helm") != "" {
		t.Error("there are some already")
	}
	w.Add("a.yaml", "Warning: old.")
	w.Add("a.yaml", "old.")
	w.Add("", "two\nlines "+strings.Repeat("é", 200))
	want := " Helm warns of a.yaml: old. Helm warns: two lines " + strings.Repeat("é", 95) + "…."
	if got := w.Told("Helm"); got != want {
		t.Errorf("it says %q\nwant %q", got, want)
	}
	for i := range 2000 {
		w.Add("b", fmt.Sprint(i))
	}
	if got := w.Told("Helm"); !strings.HasSuffix(got, " Helm warns of b: 0. There are 997 more warnings.") {
		t.Errorf("it says %q", got)
	}
}

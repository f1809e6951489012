package flowchart_test

import (
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/server/flowchart"
)

var update = flag.Bool("update", false, "write the golden files")

func TestGolden(t *testing.T) {
	sources, err := filepath.Glob("testdata/*.mmd")
	if err != nil || len(sources) == 0 {
		t.Fatal("no sources", err)
	}
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		got, err := flowchart.SVG(string(text))
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		golden := strings.TrimSuffix(source, ".mmd") + ".svg"
		if *update {
			if err := os.WriteFile(golden, []byte(got+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got+"\n"); diff != "" {
			t.Errorf("%s: %s", source, diff)
		}
	}
}

func TestUnknownIsRefused(t *testing.T) {
	for name, source := range map[string]string{
		"empty":         "",
		"another kind":  "sequenceDiagram\n  a->>b: hello",
		"other way":     "flowchart TB\n  a --> b",
		"nothing in it": "flowchart LR\n",
		"style":         "flowchart LR\n  a --> b\n  style a fill:#f00",
		"click":         "flowchart LR\n  a\n  click a \"javascript:alert(1)\"",
		"directive":     "%%{init: {\"securityLevel\": \"loose\"}}%%\nflowchart LR\n  a",
		"subgraph":      "flowchart LR\n  subgraph x\n  a\n  end",
		"arrow text":    "flowchart LR\n  a -- text --> b",
		"half an arrow": "flowchart LR\n  a -->",
		"open quote":    "flowchart LR\n  a[\"x]",
		"circle":        "flowchart LR\n  a --> b\n  b --> c\n  c --> a",
		"itself":        "flowchart LR\n  a --> a",
		"too many":      "flowchart LR\n" + many(201),
	} {
		if svg, err := flowchart.SVG(source); !errors.Is(err, flowchart.ErrUnknown) {
			t.Errorf("%s: %v, drew %q", name, err, svg)
		}
	}
}

func many(n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, "n%d\n", i)
	}
	return out.String()
}

func TestTextStaysText(t *testing.T) {
	svg, err := flowchart.SVG("flowchart LR\n" + `  a["<script>alert(1)</script><br/>#60;img src=x#62; #amp;lt; #0; #99999999;"]`)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(svg, "<script") || strings.Contains(svg, "<img") {
		t.Errorf("markup came through: %s", svg)
	}
	if !strings.Contains(svg, "&lt;script&gt;alert(1)&lt;/script&gt;") || !strings.Contains(svg, "&lt;img src=x&gt;") {
		t.Errorf("the text is not shown as written: %s", svg)
	}
}

// Whatever is drawn is well-formed and holds no element that could do anything.
func FuzzSVG(f *testing.F) {
	for _, seed := range []string{
		"flowchart LR\n a([x]) --> b[y]\n b --> c\n a --> c", "graph LR;\na[\"#35;<br/>é\"];", "flowchart LR\n a --> b --> a", "flowchart LR\n a[\"\x00\"]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		svg, err := flowchart.SVG(source)
		if err != nil {
			if !errors.Is(err, flowchart.ErrUnknown) {
				t.Fatal(err)
			}
			return
		}
		allowed := map[string]bool{"svg": true, "path": true, "g": true, "rect": true, "text": true}
		decoder := xml.NewDecoder(strings.NewReader(svg))
		for {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatalf("not well-formed: %v\n%s", err, svg)
			}
			if start, is := token.(xml.StartElement); is && !allowed[start.Name.Local] {
				t.Fatalf("element %s in %s", start.Name.Local, svg)
			}
		}
	})
}

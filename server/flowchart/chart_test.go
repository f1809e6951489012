package flowchart_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/flowchart"
)

func TestChartIsNamedAndDescribed(t *testing.T) {
	c := flowchart.Chart{
		Title: "Pipeline <default>",
		Nodes: []flowchart.Node{{ID: "a", Lines: []string{"web 1.4"}, Rounded: true}, {ID: "b", Lines: []string{"dev", "x & \x00y"}, Class: `bad" onload="x`}},
		Edges: [][2]string{{"a", "b"}},
	}
	svg, err := c.SVG()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<title>Pipeline &lt;default&gt;</title>", "<desc>web 1.4 → dev; dev x &amp; y</desc>", `class="node bad&#34; onload=&#34;x"`, `class="edge"`,
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is not in\n%s", want, svg)
		}
	}
	if strings.Contains(svg, "aria-label") {
		t.Error("it is named twice")
	}
}

func TestChartsThatCannotBeDrawn(t *testing.T) {
	node := func(id string) flowchart.Node { return flowchart.Node{ID: id, Lines: []string{id}} }
	for name, c := range map[string]flowchart.Chart{
		"empty":        {},
		"no lines":     {Nodes: []flowchart.Node{{ID: "a"}}},
		"twice":        {Nodes: []flowchart.Node{node("a"), node("a")}},
		"no ID":        {Nodes: []flowchart.Node{node("")}},
		"to nowhere":   {Nodes: []flowchart.Node{node("a")}, Edges: [][2]string{{"a", "b"}}},
		"from nowhere": {Nodes: []flowchart.Node{node("a")}, Edges: [][2]string{{"b", "a"}}},
		"in a circle":  {Nodes: []flowchart.Node{node("a"), node("b")}, Edges: [][2]string{{"a", "b"}, {"b", "a"}}},
		"too many of it": {Nodes: func() (all []flowchart.Node) {
			for i := range 201 {
				all = append(all, node(strings.Repeat("x", i+1)))
			}
			return all
		}()},
	} {
		if svg, err := c.SVG(); !errors.Is(err, flowchart.ErrUnknown) {
			t.Errorf("%s: %v, drew %q", name, err, svg)
		}
	}
}

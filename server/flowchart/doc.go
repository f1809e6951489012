// Package flowchart draws flowcharts as inline SVG, on the server, for pages that have no network and run no script of
// others: those of a Chart, and those that people write in Mermaid. Of Mermaid it knows a subset: `flowchart LR` (or `graph LR`), nodes as boxes `a["text"]`, as
// rounded ones `a(["text"])` or as a bare name, arrows `a --> b --> c`, `<br/>` between lines and entity codes such as
// `#35;`. What it does not know it refuses, and the page shows the source.
//
// What holds when SVG returns: the same chart gives the same bytes; all its text is escaped; the SVG has no
// script, no style, no link and no ID. Colours come from the page's style sheet by the classes chart, node, edge and tip.
// The functions keep no state and may be called at the same time.
package flowchart

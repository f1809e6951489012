package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestIssuePage sees that the page of the tracking issue names every section
// that is drawn, and no mark that none of the drawings has.
func TestIssuePage(t *testing.T) {
	files, err := filepath.Glob("../promotion/ledger/testdata/*.md")
	must(t, err)
	drawn := ""
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(t, err)
		drawn += string(text)
	}
	sections := section(t, "tracking-issue.md", "What it shows")
	found := regexp.MustCompile(`(?m)^### (?:✋ )?(.+)$`).FindAllStringSubmatch(drawn, -1)
	if len(found) == 0 {
		t.Fatal("no drawing has a section")
	}
	for _, m := range found {
		if !strings.Contains(sections, "| **"+m[1]+"** |") {
			t.Errorf("the page does not name the section %q", m[1])
		}
	}
	marks := regexp.MustCompile(`(?m)^\| ([^ a-z-]+) \|`).FindAllStringSubmatch(section(t, "tracking-issue.md", "Marks"), -1)
	if len(marks) < 8 {
		t.Errorf("only %d marks are read", len(marks))
	}
	for _, m := range marks {
		if !strings.Contains(drawn, m[1]) {
			t.Errorf("no drawing has the mark %s", m[1])
		}
	}
}

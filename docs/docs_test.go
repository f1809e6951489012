package docs_test

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var update = flag.Bool("update", false, "write the generated parts of the pages")

// pages are all Markdown files of the repository that people read.
func pages(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	must(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != ".." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "sample") {
			return fs.SkipDir
		}
		if strings.HasSuffix(path, ".md") {
			content, err := os.ReadFile(path)
			out[path] = string(content)
			return err
		}
		return nil
	}))
	if len(out) < 5 {
		t.Fatalf("only %d pages found", len(out))
	}
	return out
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	fence   = regexp.MustCompile("(?ms)^```.*?^```")
)

// TestLinks sees that links inside the repository lead to a file, and to a
// heading of it.
func TestLinks(t *testing.T) {
	all := pages(t)
	for page, content := range all {
		for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(content, ""), -1) {
			target := m[1]
			if strings.Contains(target, "://") {
				continue
			}
			file, anchor, _ := strings.Cut(target, "#")
			at := page
			if file != "" {
				at = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(at); err != nil {
				t.Errorf("%s links to %s: %v", page, target, err)
				continue
			}
			if anchor != "" && strings.HasSuffix(at, ".md") && !anchors(all[at])[anchor] {
				t.Errorf("%s links to %s, and there is no such heading", page, target)
			}
		}
	}
}

// anchors are the names that GitHub gives to the headings of a page.
func anchors(page string) map[string]bool {
	out := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(page, ""), -1) {
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(m[1]))
		out[name] = true
	}
	return out
}

// TestNoMachine sees that no page names a place that only one machine has.
func TestNoMachine(t *testing.T) {
	for page, content := range pages(t) {
		for _, m := range regexp.MustCompile(`/(?:work|root|home|tmp)/[\w./-]*`).FindAllString(content, -1) {
			t.Errorf("%s names %s", page, m)
		}
	}
}

// section is the text under a heading, up to the next of the same or a higher level.
func section(t *testing.T, page, title string) string {
	t.Helper()
	content, err := os.ReadFile(page)
	must(t, err)
	m := regexp.MustCompile(`(?m)^(#+) ` + regexp.QuoteMeta(title) + `$`).FindStringSubmatchIndex(string(content))
	if m == nil {
		t.Fatalf("%s has no heading %q", page, title)
	}
	rest := string(content)[m[1]:]
	if end := regexp.MustCompile(`(?m)^#{1,` + string(rune('0'+m[3]-m[2])) + `} `).FindStringIndex(rest); end != nil {
		rest = rest[:end[0]]
	}
	return rest
}

// table is the rows of the first table of a section, each cut into its cells.
func table(t *testing.T, page, title string) [][]string {
	t.Helper()
	var rows [][]string
	for line := range strings.Lines(section(t, page, title)) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			if len(rows) > 0 {
				break
			}
			continue
		}
		cells := strings.Split(strings.ReplaceAll(strings.Trim(line, "|"), `\|`, "\x00"), "|")
		for i := range cells {
			cells[i] = strings.ReplaceAll(strings.TrimSpace(cells[i]), "\x00", "|")
		}
		rows = append(rows, cells)
	}
	if len(rows) < 3 {
		t.Fatalf("%s, %s: there is no table", page, title)
	}
	return rows[2:]
}

// ticked are the words in backticks.
func ticked(cell string) []string {
	var out []string
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
		out = append(out, m[1])
	}
	return out
}

// words are the parts of a cell between commas; a dash is none.
func words(cell string) []string {
	var out []string
	for word := range strings.SplitSeq(cell, ",") {
		if word = strings.TrimSpace(word); word != "" && word != "–" {
			out = append(out, word)
		}
	}
	return out
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

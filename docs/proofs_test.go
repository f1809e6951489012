package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every test that the proofs name is there, and so is every planted fault.
func TestProofsNameTestsThatExist(t *testing.T) {
	page, err := os.ReadFile("proofs.md")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, dir := range []string{"../promotion", "../promotion/model", "../server"} {
		files, err := filepath.Glob(dir + "/*_test.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(raw)
		}
	}
	for _, m := range regexp.MustCompile("`(Test[A-Za-z0-9]+)`").FindAllStringSubmatch(string(page), -1) {
		if !strings.Contains(all.String(), "func "+m[1]+"(") {
			t.Errorf("there is no %s", m[1])
		}
	}
	rows := regexp.MustCompile(`(?m)^\| \d+: [^|]*\|[^|]*\|([^|]*)\|`).FindAllStringSubmatch(string(page), -1)
	if len(rows) != 13 {
		t.Errorf("%d promises have a row, want 13", len(rows))
	}
	for _, row := range rows {
		for _, fault := range strings.Split(row[1], ";") {
			if !strings.Contains(all.String(), `{"`+strings.TrimSpace(fault)+`"`) {
				t.Errorf("no fault is planted that is called %q", strings.TrimSpace(fault))
			}
		}
	}
}

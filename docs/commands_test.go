package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestSubcommands compares the table of subcommands with those that the binary's
// files declare.
func TestSubcommands(t *testing.T) {
	files, err := filepath.Glob("../*.go")
	must(t, err)
	var declared, documented []string
	for _, file := range files {
		content, err := os.ReadFile(file)
		must(t, err)
		for _, m := range regexp.MustCompile(`\bUse:\s+"([a-z]+)`).FindAllStringSubmatch(string(content), -1) {
			if m[1] != "stagecoach" { // the binary itself
				declared = append(declared, m[1])
			}
		}
	}
	for _, row := range table(t, "commands.md", "Of the binary") {
		documented = append(documented, strings.Fields(ticked(row[0])[0])[1])
	}
	slices.Sort(declared)
	slices.Sort(documented)
	if !slices.Equal(declared, documented) {
		t.Errorf("the binary has %v, the table %v", declared, documented)
	}
}

package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/server/runner"
)

var pipelineBlock = regexp.MustCompile("(?ms)^```yaml\n# (\\.github/stagecoach\\S*\\.yml)(?: of \\S+)?\n(.*?)^```")

// TestGuides validates each pipeline that a page shows under a file's name, and sees that every guide shows one.
func TestGuides(t *testing.T) {
	shown := map[string]int{}
	for page, content := range pages(t) {
		for _, m := range pipelineBlock.FindAllStringSubmatch(content, -1) {
			shown[page]++
			_, found := config.ParseAllWith(map[string][]byte{m[1]: []byte(m[2])}, runner.Check)
			for _, d := range found {
				t.Errorf("%s shows what is not right: %s", page, d)
			}
		}
	}
	guides, err := filepath.Glob("guides/*.md")
	must(t, err)
	quick, err := os.ReadFile("quick-start.md")
	must(t, err)
	for _, guide := range append(guides, "quick-start.md") {
		if shown[filepath.Join("..", "docs", guide)] == 0 {
			t.Errorf("%s shows no pipeline", guide)
		}
		if guide != "quick-start.md" && !strings.Contains(string(quick), "("+guide+")") {
			t.Errorf("the quick start does not lead to %s", guide)
		}
	}
}

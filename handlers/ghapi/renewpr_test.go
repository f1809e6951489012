package ghapi

import (
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

// The table of changes is put in place of the former one. What people wrote around it
// stays, and so does a body that is not ours.
func TestTheTextOfANewEdit(t *testing.T) {
	change := func(path string) []promotion.Change {
		return []promotion.Change{{Path: path, Status: "modified", Before: "tag: 1", After: "tag: 2"}}
	}
	was := &promotion.Promotion{Name: "prod.x.y", Changes: change("envs/prod/a.yaml")}
	now := &promotion.Promotion{
		Name: was.Name, Changes: change("envs/prod/b.yaml"), Redo: &promotion.Redo{Begun: true, Was: promotion.Edit{Changes: was.Changes}},
	}
	table := ledger.Changes(promotion.Task{Promotion: was})
	body := "Read this first.\n\n" + table + "\n\nMore of mine.\n"
	got, differs := renewed(promotion.Task{Promotion: now}, body)
	if !differs || !strings.Contains(got, "envs/prod/b.yaml") || strings.Contains(got, "envs/prod/a.yaml") ||
		!strings.HasPrefix(got, "Read this first.\n\n") || !strings.HasSuffix(got, "\n\nMore of mine.\n") {
		t.Errorf("the body is (%v)\n%s", differs, got)
	}
	if got, differs := renewed(promotion.Task{Promotion: now}, "Somebody's own words."); differs || got != "Somebody's own words." {
		t.Errorf("another body is changed to %q", got)
	}
}

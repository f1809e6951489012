package docs_test

import (
	"slices"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/doctor"
)

// TestDoctorTable compares the table of checks with those that doctor makes.
func TestDoctorTable(t *testing.T) {
	var shown []string
	for _, row := range table(t, "operating.md", "When something does not work") {
		if name := ticked(row[0]); len(name) == 1 && slices.Contains(doctor.Names, name[0]) && !slices.Contains(shown, name[0]) {
			shown = append(shown, name[0])
		}
	}
	for _, name := range doctor.Names {
		if !slices.Contains(shown, name) {
			t.Errorf("the page does not say what the check %s looks at", name)
		}
	}
}

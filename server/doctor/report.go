package doctor

import (
	"fmt"
	"strings"
)

// Status says how a check went.
type Status string

// The statuses of a check.
const (
	OK      Status = "ok"
	Warning Status = "warning" // it works, and may not for long, or not for everybody
	Problem Status = "problem" // it does not work
	Skipped Status = "skipped" // what came before must be mended first
)

// Check is one thing that was looked at.
type Check struct {
	Name    string `json:"name"` // one of Names
	About   string `json:"about,omitempty"`
	Status  Status `json:"status"`
	Message string `json:"message"`          // what was seen
	Remedy  string `json:"remedy,omitempty"` // what to do; empty: nothing
}

// Names are those that checks may have. installations is about all of them, where none can be looked at.
var Names = []string{
	"settings", "github", "clock", "app", "permissions", "events", "installations", "installation", "webhook", "deliveries", "dashboard", "server", "data", "disk", "engine",
}

// Report is what Run saw.
type Report struct {
	OK     bool    `json:"ok"` // there is no problem; there may be warnings
	Checks []Check `json:"checks"`
}

func (r *Report) add(checks ...Check) {
	for _, c := range checks {
		r.Checks = append(r.Checks, c)
		r.OK = r.OK && c.Status != Problem
	}
}

// Failed is the report of settings that cannot be used.
func Failed(err error) Report {
	return Report{Checks: []Check{{
		Name: "settings", Status: Problem, Message: err.Error(),
		Remedy: "Give doctor the settings that serve gets: the same variables, or the same --config file.",
	}}}
}

var marks = map[Status]string{OK: "✅", Warning: "✋", Problem: "❌", Skipped: "⏭️"}

// Text draws the report for a terminal.
func (r Report) Text() string {
	text := Lines(r.Checks)
	if r.OK {
		text += "\nNothing is wrong that keeps Stagecoach from working.\n"
	}
	return text
}

// Lines draws checks for a terminal.
func Lines(checks []Check) string {
	var b strings.Builder
	for _, c := range checks {
		name := c.Name
		if c.About != "" {
			name += " " + c.About
		}
		fmt.Fprintf(&b, "%s %s %s: %s\n", marks[c.Status], c.Status, name, strings.ReplaceAll(c.Message, "\n", "\n   "))
		if c.Remedy != "" {
			fmt.Fprintf(&b, "   → %s\n", c.Remedy)
		}
	}
	return b.String()
}

package main

import (
	"strings"
	"testing"
)

// A delivery's reason may quote its payload, which anybody wrote.
func TestEventsKeepControlCharactersOffTheTerminal(t *testing.T) {
	out := eventsText([]byte(`{"Stats":{},"Aside":[{"GUID":"g","Type":"push","Reason":"no branch \u001b[31mred\u202e\r\nat all"}]}`))
	if strings.ContainsAny(out, "\x1b\u202e\r") || strings.Count(out, "\n") != 3 || !strings.Contains(out, "no branch [31mred at all") {
		t.Errorf("it prints %q", out)
	}
}

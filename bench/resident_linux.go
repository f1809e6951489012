package main

import (
	"fmt"
	"os"
	"strings"
)

// resident is what a process has in memory now, and had at most, in MiB.
func resident(pid int) (now, most float64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0, fmt.Errorf("ask for the memory of a process: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		var kib float64
		if _, err := fmt.Sscanf(line, "VmRSS: %f kB", &kib); err == nil {
			now = kib / 1024
		}
		if _, err := fmt.Sscanf(line, "VmHWM: %f kB", &kib); err == nil {
			most = kib / 1024
		}
	}
	return now, most, nil
}

//go:build unix

package main

import (
	"syscall"
	"time"
)

// processor is the time that this process has had a processor. What is compared
// by it may run on a machine that has other things to do.
func processor() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return time.Since(started)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

var started = time.Now()

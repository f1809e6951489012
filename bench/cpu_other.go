//go:build !unix

package main

import "time"

// processor is the time by the clock, where that of the processor is not told.
func processor() time.Duration { return time.Since(started) }

var started = time.Now()

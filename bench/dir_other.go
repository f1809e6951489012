//go:build !linux

package main

// ramDisk is where a machine has one; other systems have none at a known place.
func ramDisk(uint64) string { return "" }

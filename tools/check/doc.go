// Command check runs all that must hold before a change is taken: format and
// order of imports, go vet, staticcheck, and the tests, in random order, under
// the race detector, with the seeds of the fuzz targets and the rules of which
// room may import which.
//
//	go run ./tools/check               everything
//	go run ./tools/check format lint   these alone
//
// The packages of steps whose libraries are large are left out of vet and lint,
// which would take minutes over all that those libraries import. Who changes one
// of them asks for vet-large, too.
//
// It needs Go and git, installs staticcheck through the Go module proxy, and
// needs no network else. All checks run, also after one that failed; the exit
// code is 1 when any did. A C compiler is what the race detector needs on most
// systems: without one the tests run without it, and the output says so.
package main

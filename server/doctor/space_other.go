//go:build !(linux || darwin || freebsd)

package doctor

// freeSpace is not known on other systems.
func freeSpace(string) (bytes uint64, known bool) { return 0, false }

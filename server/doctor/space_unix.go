//go:build linux || darwin || freebsd

package doctor

import "syscall"

// freeSpace is what an unprivileged user may still write.
func freeSpace(dir string) (bytes uint64, known bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return uint64(max(0, int64(s.Bavail))) * uint64(s.Bsize), true // signed on some systems, where it may be below zero
}

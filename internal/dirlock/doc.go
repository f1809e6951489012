// Package dirlock keeps two processes from working in one directory: a file in it
// is locked as long as a process works there.
//
// # What holds when a call returns
//
// Take: nobody else holds the directory until Close, or until this process ends, in
// whatever way: the system itself gives the lock free. The file stays, because
// removing it would let two processes lock two files of one name. Held changes
// nothing.
//
// All functions may be called at the same time.
package dirlock

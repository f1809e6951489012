// Package demo plays Stagecoach on one machine: it starts the simulated GitHub
// with a sample repository, or with one of the user's, beside the same server
// that `stagecoach serve` runs, and tells what happens in the terminal. People
// use the simulator's pages; with Options.Exit the demo plays them too.
//
// The server does not know of the demo: it is made from settings by their
// variables, and both talk over HTTP alone. What the demo knows of promotions it
// reads as anybody could: check runs, pull requests, commits, and the record in
// the tracking issue, for which it has the key.
//
// What holds when Run returns, whatever the error: server and simulator have
// stopped, nothing of theirs runs, and the data directory is gone unless
// Options.Keep names it. A repository given by Options.Repo was only read.
//
// Several demos may run at the same time, in different directories.
package demo

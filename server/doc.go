// Package server wires the rooms together: settings in, a running Stagecoach
// out. New builds, Start runs, Stop ends within the given time; Start and Stop
// may be called twice.
//
// What holds: a delivery is answered with 2xx only when it is on disk; what was
// accepted and not finished when the process ends is taken up by the next one;
// nothing here knows who GitHub really is.
package server

// Package engine opens the one JetStream that Stagecoach keeps its events, timers
// and working copies in: a NATS server embedded in this process, or an existing
// NATS cluster.
//
// What holds:
//
//   - The embedded server has no listener. Its files are under the data directory
//     and are synced on every append, so what JetStream has confirmed survives
//     kill -9 and a power cut.
//   - One data directory is open in one process at a time. A second Open of it
//     fails with a sentence, and a killed process leaves nothing to clean up.
//   - An existing cluster is used as it is; a server that lacks what Stagecoach
//     needs (JetStream, version 2.12) is refused at Open, in words.
//   - When Close has returned, nothing of the engine runs any more in this process.
//
// All methods may be called at the same time. JetStream's handle is safe for
// concurrent use and is of no use after Close.
package engine

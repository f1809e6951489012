package eventlog

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// JetStream deletes a message by writing that down. Its bytes stay in a file of some
// megabytes until the server rewrites that file, which it does every few minutes with
// all files that are less than half in use, but never with the last one. In a log that
// has little to do, the last one would hold people's names and addresses for weeks. So
// the last file is filled up, and becomes one that is rewritten.
// (nats-server v2.15, server/filestore.go: syncBlocks, dynBlkSize.)
const (
	turnFirst = 2 * time.Minute // after the log was opened: processes may live shorter than turnEvery
	turnEvery = 12 * time.Hour

	turnBytes = 9 << 20   // a little more than the largest file
	turnPiece = 512 << 10 // less than the message limit of any server
)

// turnovers fills up the last files from time to time, until ctx ends.
func (l *Log) turnovers(ctx context.Context) {
	for wait := turnFirst; ; wait = turnEvery {
		sleep(ctx, wait)
		if ctx.Err() != nil {
			return
		}
		if err := l.turnOver(ctx); err != nil && ctx.Err() == nil {
			l.log.Warn().Err(err).Msg("The event log could not free its files of what was deleted; it tries again in twelve hours")
		}
	}
}

// turnOver makes the server begin a new file of both streams.
func (l *Log) turnOver(ctx context.Context) error {
	for name, stream := range map[string]jetstream.Stream{"events": l.events, "aside": l.aside} {
		for range turnBytes / turnPiece {
			if _, err := l.js.Publish(ctx, fillRoot+name, make([]byte, turnPiece)); err != nil {
				return fmt.Errorf("fill up the last file of the log's %s: %w", name, err)
			}
		}
		if err := stream.Purge(ctx, jetstream.WithPurgeSubject(fillRoot+name)); err != nil {
			return fmt.Errorf("remove what filled up the last file of the log's %s: %w", name, err)
		}
	}
	return nil
}

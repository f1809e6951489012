package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go/jetstream"
)

// The errors that callers act on.
var (
	ErrNone     = errors.New("the store has no state of this repository")
	ErrLost     = errors.New("another writer was first: load the state again")
	ErrRecorded = errors.New("this step is recorded already")
	ErrNewer    = errors.New("the state was written by a newer Stagecoach: upgrade this one, it leaves the state alone")
)

// bucket and its stream are named on the wire.
const (
	bucket       = "stagecoach-store"
	bucketStream = "KV_" + bucket
	subjectRoot  = "$KV." + bucket + "."
)

// markerFor is how long the mark of a removed index entry stays, for the processes
// that watch the index.
const markerFor = time.Hour

// Options of a store. The zero value of each field is its default.
type Options struct {
	// Replicas is how many servers keep each value. 0: 1.
	Replicas int
}

// Store is open until Close.
type Store struct {
	js     jetstream.JetStream
	kv     jetstream.KeyValue
	stream jetstream.Stream
	enc    *zstd.Encoder
	dec    *zstd.Decoder
	limit  int // of one message, in bytes

	splitting sync.Mutex
	whole     map[string]bool // keys that are known to have no pieces

	index   index
	watcher jetstream.KeyWatcher
	watched sync.WaitGroup
	close   sync.Once

	followers followers

	bases bases
}

// headRoom is what a message's headers may take of the server's limit.
const headRoom = 16 << 10

// Open makes the bucket if it is new, and returns when the index is in memory.
func Open(ctx context.Context, js jetstream.JetStream, opts Options) (*Store, error) {
	s := &Store{js: js, limit: int(js.Conn().MaxPayload()) - headRoom, whole: map[string]bool{}}
	if err := s.openBucket(ctx, max(opts.Replicas, 1)); err != nil {
		return nil, err
	}
	var err error
	if s.enc, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(2), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20)); err != nil {
		return nil, fmt.Errorf("open the store: set up compression: %w", err)
	}
	if s.dec, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(maxValue)); err != nil {
		return nil, fmt.Errorf("open the store: set up decompression: %w", err)
	}
	if err := s.openIndex(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Store) openBucket(ctx context.Context, replicas int) error {
	var err error
	s.kv, err = s.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket:         bucket,
		Description:    "Working copies of ledgers, step records and the index of repositories",
		Replicas:       replicas,
		LimitMarkerTTL: markerFor,
	})
	if err == nil {
		s.stream, err = s.js.Stream(ctx, bucketStream)
	}
	if err == nil && replicas > 1 {
		err = s.readFromLeader(ctx)
	}
	if err != nil {
		return fmt.Errorf("open the store: %w", err)
	}
	return nil
}

// readFromLeader gives up direct reads, which any replica answers, also one that
// lacks the newest writes.
func (s *Store) readFromLeader(ctx context.Context) error {
	cfg := s.stream.CachedInfo().Config
	cfg.AllowDirect = false
	var err error
	if s.stream, err = s.js.UpdateStream(ctx, cfg); err != nil {
		return err
	}
	s.kv, err = s.js.KeyValue(ctx, bucket)
	return err
}

// Close ends the watch of the index. Further calls do nothing.
func (s *Store) Close() {
	s.close.Do(func() {
		_ = s.watcher.Stop()
		s.watched.Wait()
		s.followers.close()
		s.dec.Close()
		_ = s.enc.Close()
	})
}

// isTaken reports whether the server refused because of the revision.
func isTaken(err error) bool {
	var api *jetstream.APIError
	return errors.Is(err, jetstream.ErrKeyExists) || errors.As(err, &api) &&
		(api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

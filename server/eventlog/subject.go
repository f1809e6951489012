package eventlog

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"strings"
)

// Names on the wire. Changing one loses sight of what is stored.
const (
	eventStream = "STAGECOACH_EVENTS"
	asideStream = "STAGECOACH_ASIDE"
	doneBucket  = "stagecoach-done"
	group       = "worker" // the priority group of every consumer

	root        = "stagecoach."
	eventRoot   = root + "ev."    // <partition>.<key>.<guid>: held, and the work of the consumers
	timerRoot   = root + "timer." // <key>: the next wake of a lane
	retryRoot   = root + "retry." // <guid>: waits for its next try
	bodyRoot    = root + "body."  // <guid>.<set>.<number>: pieces of a payload above the server's limit
	asideRoot   = root + "aside." // <guid>: set aside
	fillRoot    = root + "fill."  // "events" or "aside": see turnover.go
	unreadable  = "x"             // the key of a payload that names no lane
	wakeSubject = "wake"          // in place of the GUID
)

// WakeType is the type of the events that Wake asks for.
const WakeType = "stagecoach.wake"

// defaultPartitions is how many a log has where nobody says otherwise.
const defaultPartitions = 64

// PartitionOf is where the events of a lane are, from 0 on, in a log with so many
// partitions. It is a wire constant.
func PartitionOf(key string, partitions int) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(key))
	return int(h.Sum32() % uint32(partitions))
}

func (l *Log) subject(key, last string) string {
	return fmt.Sprintf("%s%d.%s.%s", eventRoot, PartitionOf(key, l.opts.Partitions), key, last)
}

// keyIn takes the lane out of a subject that subject made.
func keyIn(subject string) string {
	parts := strings.Split(strings.TrimPrefix(subject, eventRoot), ".")
	if len(parts) != 3 {
		return unreadable
	}
	return parts[1]
}

// token is a GUID as part of a subject: GitHub's own as they are, all else hashed.
func token(guid string) string {
	if isToken(guid) && guid != wakeSubject {
		return guid
	}
	sum := sha256.Sum256([]byte(guid))
	return "sha256-" + hex.EncodeToString(sum[:])
}

func isToken(s string) bool {
	return s != "" && len(s) <= 80 && strings.IndexFunc(s, func(r rune) bool {
		return !(r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	}) < 0
}

// isWord reports whether s can stand in a header line: event types have dots.
func isWord(s string) bool { return isToken(strings.ReplaceAll(s, ".", "-")) }

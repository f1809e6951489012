package config

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// maxDuration is longer than anybody wants to wait, and far from what a
// time.Duration can hold.
const maxDuration = 365 * 24 * time.Hour

// durations are days, hours, minutes and seconds, in this order and without
// those that are not needed.
var durations = regexp.MustCompile(`^(?:([0-9]{1,9})d)?(?:([0-9]{1,9})h)?(?:([0-9]{1,9})m)?(?:([0-9]{1,9})s)?$`)

// parseDuration reads a duration. None is as short as nothing: what shall not be
// waited for is left out.
func parseDuration(s string) (time.Duration, error) {
	m := durations.FindStringSubmatch(s)
	if m == nil || s == "" {
		return 0, fmt.Errorf("%q is no duration; write 90s, 30m, 72h, 7d or 1h30m", shorten(s))
	}
	var sum time.Duration
	for i, unit := range []time.Duration{24 * time.Hour, time.Hour, time.Minute, time.Second} {
		n, _ := strconv.Atoi(m[i+1]) // digits or nothing
		sum += min(time.Duration(n), maxDuration/unit+1) * unit
	}
	switch {
	case sum < time.Second:
		return 0, fmt.Errorf("%q is no time at all; leave the key out", s)
	case sum > maxDuration:
		return 0, fmt.Errorf("%q is longer than 365d", s)
	}
	return sum, nil
}

// duration is one as a file writes it; 0: none is written.
type duration time.Duration

// UnmarshalJSON reads what parseDuration does.
func (d *duration) UnmarshalJSON(raw []byte) error {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return fmt.Errorf("a duration: %w", err)
	}
	parsed, err := parseDuration(s)
	*d = duration(parsed)
	return err
}

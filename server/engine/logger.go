package engine

import "github.com/rs/zerolog"

// serverLog gives what the embedded server has to say to our log. Its notices are
// about listeners and limits that we do not use, so they count as debugging.
type serverLog struct{ log *zerolog.Logger }

func (l serverLog) Noticef(format string, v ...any) { l.say(l.log.Debug(), format, v) }
func (l serverLog) Warnf(format string, v ...any)   { l.say(l.log.Warn(), format, v) }
func (l serverLog) Errorf(format string, v ...any)  { l.say(l.log.Error(), format, v) }
func (l serverLog) Fatalf(format string, v ...any)  { l.say(l.log.Error(), format, v) }
func (l serverLog) Debugf(format string, v ...any)  { l.say(l.log.Debug(), format, v) }
func (l serverLog) Tracef(format string, v ...any)  { l.say(l.log.Trace(), format, v) }

func (serverLog) say(e *zerolog.Event, format string, v []any) {
	e.Str("component", "event store").Msgf(format, v...)
}

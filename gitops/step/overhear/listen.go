package overhear

import (
	"io"
	"log"
	"regexp"
	"runtime"
	"strings"
	"sync"
)

// Listen gives take what the calling goroutine writes to the standard log, line by
// line without date and level, until it calls stop. fatal: the process ends when take
// returns, which may panic instead.
func Listen(take func(text string, fatal bool)) (stop func()) {
	id := goroutine()
	listeners.Store(id, take)
	attach()
	return func() {
		listeners.Delete(id)
		detach()
	}
}

// listeners hold a func(string, bool) by goroutine.
var listeners sync.Map

// attached is the ear at the log while anybody listens.
var attached struct {
	sync.Mutex
	count int
	ear   *ear
}

func attach() {
	attached.Lock()
	defer attached.Unlock()
	if attached.count++; attached.count == 1 {
		attached.ear = &ear{next: log.Writer()}
		log.SetOutput(attached.ear)
	}
}

func detach() {
	attached.Lock()
	defer attached.Unlock()
	if attached.count--; attached.count == 0 && log.Writer() == attached.ear {
		log.SetOutput(attached.ear.next)
	}
}

// ear stands before the writer of the standard log.
type ear struct{ next io.Writer }

// Write implements io.Writer.
func (e *ear) Write(line []byte) (int, error) {
	take, heard := listeners.Load(goroutine())
	if !heard {
		return e.next.Write(line)
	}
	take.(func(string, bool))(plain(string(line)), fatal())
	return len(line), nil
}

// date is what log.LstdFlags puts before a line, level what slog's default handler does.
const date = "2006/01/02 15:04:05 "

var level = regexp.MustCompile(`^(?:DEBUG|INFO|WARN|ERROR)(?:[+-]\d+)? `)

func plain(line string) string {
	if log.Flags() == log.LstdFlags && len(line) > len(date) {
		line = line[len(date):]
	}
	return strings.TrimSpace(level.ReplaceAllString(line, ""))
}

// goroutine names the goroutine that calls. The runtime tells it in no other way, and
// the libraries have no way to pass along for whom they work.
func goroutine() string {
	buf := make([]byte, 64)
	name, _, _ := strings.Cut(string(buf[:runtime.Stack(buf, false)]), " [")
	return name
}

// fatal reports whether log.Fatal is what writes.
func fatal() bool {
	pcs := make([]uintptr, 16)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "log.Fatal") || strings.HasPrefix(f.Function, "log.(*Logger).Fatal") {
			return true
		}
		if !more {
			return false
		}
	}
}

package gitopstest

import "net/http"

// counting counts what is sent.
type counting struct {
	http.ResponseWriter
	s *Server
}

func (c *counting) Write(p []byte) (int, error) {
	c.s.mu.Lock()
	c.s.bytes += int64(len(p))
	c.s.mu.Unlock()
	n, err := c.ResponseWriter.Write(p)
	if err == nil { // hosts let go of what a push answers before they tidy up after it
		err = http.NewResponseController(c.ResponseWriter).Flush()
	}
	return n, err
}

// SetFault makes f see each request first; nil: none does.
func (s *Server) SetFault(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = f
}

// Reset forgets the counts.
func (s *Server) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.counts)
	s.bytes = 0
}

// Count is how often something was asked for since Reset: "GET info/refs",
// "POST git-upload-pack" or "POST git-receive-pack".
func (s *Server) Count(what string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[what]
}

// Fetches is how many requests for objects came since Reset.
func (s *Server) Fetches() int { return s.Count("POST git-upload-pack") }

// Pushes is how many pushes came since Reset.
func (s *Server) Pushes() int { return s.Count("POST git-receive-pack") }

// Bytes is how much was sent since Reset, headers not counted.
func (s *Server) Bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}

// Cut closes the connection of a request without an answer.
func Cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

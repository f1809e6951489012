package ghsim

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// pushRequest is what a client sends to git-receive-pack: commands, the abilities it has, and a pack.
type pushRequest struct {
	changes []refChange
	can     string
	pack    []byte
}

// parsePush reads the commands of a push; ok is false for what is none, which git itself then judges.
func parsePush(body []byte, encoding string) (p pushRequest, ok bool) {
	if encoding == "gzip" {
		plain, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return p, false
		}
		if body, err = io.ReadAll(plain); err != nil {
			return p, false
		}
	}
	for {
		line, rest, more := cutPacket(body)
		if !more {
			return p, false
		}
		body = rest
		if line == nil { // flush
			p.pack = body
			return p, len(p.changes) > 0
		}
		command, can, first := strings.Cut(strings.TrimSuffix(string(line), "\n"), "\x00")
		if first {
			p.can = can
		}
		if f := strings.SplitN(command, " ", 3); len(f) == 3 {
			p.changes = append(p.changes, refChange{ref: f[2], old: f[0], new: f[1]})
		}
	}
}

// cutPacket takes one packet line off; a flush is nil. more is false when there is none.
func cutPacket(body []byte) (line, rest []byte, more bool) {
	if len(body) < 4 {
		return nil, nil, false
	}
	size, err := strconv.ParseUint(string(body[:4]), 16, 16)
	switch {
	case err != nil || int(size) > len(body):
		return nil, nil, false
	case size < 4:
		return nil, body[4:], true
	}
	return body[4:size], body[size:], true
}

func packet(text string) string { return fmt.Sprintf("%04x%s", len(text)+4, text) }

// judgePush refuses a push that rules forbid, before git sees it. It runs under the push lock.
func (s *Sim) judgePush(g *gitCall, encoding string) *reply {
	s.mu.Lock()
	bound := len(g.repo.rulesets) > 0
	s.mu.Unlock()
	if !bound {
		return nil
	}
	p, ok := parsePush(g.body, encoding)
	if !ok {
		return nil
	}
	if len(p.pack) > 0 { // rules look at commits; what stays unreferenced does no harm
		if _, err := s.git.run(s.gitDir(g.repo), p.pack, "unpack-objects", "-q"); err != nil {
			return nil // git itself says what is wrong with the pack
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	refused := s.refusePush(g.repo, p.changes, g.who.actor())
	if refused == nil {
		return nil
	}
	answer := reply{status: http.StatusOK, body: p.refusal(refused)}.with("Content-Type", "application/x-git-receive-pack-result").with("Cache-Control", "no-cache")
	return &answer
}

// refusal is git's report: the reason behind every ref, because one that is refused refuses all.
func (p pushRequest) refusal(refused *refusedPush) []byte {
	report := packet("unpack ok\n")
	for _, c := range p.changes {
		report += packet("ng " + c.ref + " " + refused.reason + "\n")
	}
	report += "0000"
	if !strings.Contains(p.can, "report-status") {
		report = ""
	}
	if !strings.Contains(p.can, "side-band-64k") {
		return []byte(report)
	}
	return []byte(packet("\x02"+refused.message) + packet("\x01"+report) + "0000")
}

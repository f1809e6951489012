package ghsim

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"
)

// Delivery is one webhook sent, or tried.
type Delivery struct {
	ID int64
	// GUID is the X-GitHub-Delivery header; redeliveries keep it.
	GUID          string
	Event, Action string
	App           int64
	Installation  int64
	Repository    int64 // 0 for events of the installation itself
	Payload       []byte
	Redelivery    bool
	// At and Duration are zero until it was tried. Status is OK, or what went wrong; StatusCode what the receiver answered.
	At         time.Time
	Duration   time.Duration
	Status     string
	StatusCode int
}

// OK says whether the receiver took it.
func (d Delivery) OK() bool { return d.StatusCode >= 200 && d.StatusCode < 300 }

type delivery struct {
	Delivery
	target   hookTarget
	headers  http.Header
	answered http.Header
	response string
}

// hookTarget is where an App wanted its webhooks when the event happened.
type hookTarget struct {
	app, hookID      int64
	url, secret, api string
}

func newGUID() string {
	h := randomHex(16)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

func mac(hash func() hash.Hash, secret string, payload []byte) string {
	h := hmac.New(hash, []byte(secret))
	h.Write(payload)
	return hex.EncodeToString(h.Sum(nil))
}

// webhookHeaders are those of GitHub Enterprise Server, which names itself.
func (d *delivery) webhookHeaders() http.Header {
	h := http.Header{}
	h.Set("Accept", "*/*")
	h.Set("Content-Type", "application/json")
	h.Set("User-Agent", "GitHub-Hookshot/"+d.GUID[:7])
	h.Set("X-GitHub-Event", d.Event)
	h.Set("X-GitHub-Delivery", d.GUID)
	h.Set("X-GitHub-Hook-ID", strconv.FormatInt(d.target.hookID, 10))
	h.Set("X-GitHub-Hook-Installation-Target-ID", strconv.FormatInt(d.target.app, 10))
	h.Set("X-GitHub-Hook-Installation-Target-Type", "integration")
	h.Set("X-GitHub-Enterprise-Version", "3.19.0")
	h.Set("X-GitHub-Enterprise-Host", hostOf(d.target.api))
	if d.target.secret != "" {
		h.Set("X-Hub-Signature", "sha1="+mac(sha1.New, d.target.secret, d.Payload))
		h.Set("X-Hub-Signature-256", "sha256="+mac(sha256.New, d.target.secret, d.Payload))
	}
	return h
}

// deliver tries once and notes what came of it.
func (c *courier) deliver(d *delivery) {
	d.At, d.headers = c.clock().UTC(), d.webhookHeaders()
	began := time.Now()
	if c.dropped(d.Delivery) {
		d.Status, d.StatusCode = "failed to connect to host", http.StatusBadGateway
	} else {
		c.post(d)
	}
	d.Duration = time.Since(began)
	c.log.Debug().Str("event", d.Event).Str("action", d.Action).Str("guid", d.GUID).Str("status", d.Status).Msg("github simulator delivered")
}

func (c *courier) dropped(d Delivery) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.drop.match(d)
}

func (c *courier) post(d *delivery) {
	req, err := http.NewRequestWithContext(c.ctx, http.MethodPost, d.target.url, bytes.NewReader(d.Payload))
	if err != nil {
		d.Status, d.StatusCode = "failed to connect to host", http.StatusBadGateway
		return
	}
	req.Header = d.headers
	resp, err := c.client.Do(req)
	if err != nil {
		d.Status, d.StatusCode = transportStatus(err)
		return
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // kept for the delivery list; its status decides
	d.answered, d.response, d.StatusCode, d.Status = resp.Header, string(body), resp.StatusCode, "OK"
	if !d.OK() {
		d.Status = fmt.Sprintf("Invalid HTTP Response: %d", resp.StatusCode)
	}
}

func transportStatus(err error) (string, int) {
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() || errors.Is(err, os.ErrDeadlineExceeded) {
		return "timed out", http.StatusGatewayTimeout
	}
	var op *url.Error
	if errors.As(err, &op) && errors.Is(op.Err, io.EOF) {
		return "failed to read the response", http.StatusBadGateway
	}
	return "failed to connect to host", http.StatusBadGateway
}

package egress

import (
	"fmt"
	"io"
	"net/http"
)

// TooLarge is the error for an answer that has more bytes than are read.
type TooLarge struct{ Most int64 }

func (e *TooLarge) Error() string { return fmt.Sprintf("it has more than %d bytes", e.Most) }

// Bounded is a transport whose answers fail as *TooLarge after so many bytes.
func Bounded(next http.RoundTripper, most int64) http.RoundTripper { return &bounded{next, most} }

type bounded struct {
	next http.RoundTripper
	most int64
}

// RoundTrip implements http.RoundTripper.
func (b *bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := b.next.RoundTrip(req)
	if err == nil {
		resp.Body = &body{resp.Body, b.most, b.most}
	}
	return resp, err
}

// CloseIdleConnections is called by that of http.Client.
func (b *bounded) CloseIdleConnections() {
	if c, can := b.next.(interface{ CloseIdleConnections() }); can {
		c.CloseIdleConnections()
	}
}

type body struct {
	io.ReadCloser
	left, most int64
}

func (b *body) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, &TooLarge{b.most}
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left+1)])
	b.left -= int64(n)
	if b.left < 0 {
		return n - 1, &TooLarge{b.most}
	}
	return n, err
}

package registry

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// The bounds of an answer. An index of charts may be large; lists and manifests
// are not (https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pushing-manifests
// asks for 4 MiB at least).
const (
	mostBody   = 32 << 20
	mostKept   = 1 << 20 // larger answers are not remembered
	keptBodies = 200
)

// wire is the transport of one owner: it asks by ETag, keeps to limits, and
// compares what a registry says of a manifest with what it sends.
type wire struct {
	next http.RoundTripper
	now  func() time.Time
	kept *lru.Cache[string, *answer]

	mu    sync.Mutex
	until map[string]time.Time // host → nothing is sent before
}

// answer is one that is remembered.
type answer struct {
	etag, modified string
	header         http.Header
	body           []byte
}

func newWire(next http.RoundTripper, now func() time.Time) (*wire, error) {
	kept, err := lru.New[string, *answer](keptBodies)
	return &wire{next: next, now: now, kept: kept, until: map[string]time.Time{}}, err
}

// RoundTrip sends a request, conditionally where an earlier answer is remembered.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := w.mayAsk(req.URL.Host); err != nil {
		return nil, err
	}
	key := req.URL.String() + "\n" + req.Header.Get("Accept")
	before, known := w.kept.Get(key)
	if known = known && conditional(req); known {
		req = req.Clone(req.Context())
		if before.etag != "" {
			req.Header.Set("If-None-Match", before.etag)
		} else {
			req.Header.Set("If-Modified-Since", before.modified)
		}
	}
	resp, err := w.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if err := w.heed(resp); err != nil {
		return nil, err
	}
	if known && resp.StatusCode == http.StatusNotModified {
		_ = resp.Body.Close()
		return before.response(req), nil
	}
	resp.Body = &limited{resp.Body, mostBody}
	if resp.StatusCode != http.StatusOK || !conditional(req) {
		return resp, nil
	}
	return w.keep(key, resp)
}

// conditional reports whether a request is for something that changes: what is
// named by its digest is not, and tokens are nobody's to keep.
func conditional(req *http.Request) bool {
	path := req.URL.Path
	return req.Method == http.MethodGet && (strings.HasSuffix(path, "/tags/list") || strings.HasSuffix(path, "/index.yaml") ||
		strings.Contains(path, "/manifests/") && !strings.Contains(path, "/manifests/sha"))
}

func (a *answer) response(req *http.Request) *http.Response {
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.header.Clone(), Body: io.NopCloser(bytes.NewReader(a.body)), ContentLength: int64(len(a.body)), Request: req,
	}
}

// keep reads an answer, checks it, and remembers it where it can be asked for
// conditionally.
func (w *wire) keep(key string, resp *http.Response) (*http.Response, error) {
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("read the answer of %s: %w", resp.Request.URL.Host, err)
	}
	if err := honest(resp, body); err != nil {
		return nil, err
	}
	a := &answer{etag: resp.Header.Get("ETag"), modified: resp.Header.Get("Last-Modified"), header: resp.Header.Clone(), body: body}
	if (a.etag != "" || a.modified != "") && len(body) <= mostKept {
		w.kept.Add(key, a)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// dishonest says that a registry named one digest and sent something else.
type dishonest struct{ host, said, is string }

func (e *dishonest) Error() string {
	return fmt.Sprintf("%s says that the manifest is %s, but what it sends is %s", e.host, e.said, e.is)
}

func honest(resp *http.Response, body []byte) error {
	said := resp.Header.Get("Docker-Content-Digest")
	if !strings.HasPrefix(said, "sha256:") || strings.HasSuffix(resp.Header.Get("Content-Type"), "v1+prettyjws") {
		return nil
	}
	sum := sha256.Sum256(body)
	if is := "sha256:" + hex.EncodeToString(sum[:]); is != said {
		return &dishonest{resp.Request.URL.Host, said, is}
	}
	return nil
}

// limited ends a body that is too long with an error.
type limited struct {
	io.ReadCloser
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("the answer is longer than %d MB", mostBody>>20)
	}
	n, err := l.ReadCloser.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

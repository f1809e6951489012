package gitops

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stagecoach-app/stagecoach/internal/dirlock"
)

// Options shape an Engine. The zero value is fit for use.
type Options struct {
	// Transport carries the requests; nil: one with timeouts for connecting and
	// for TLS. Redirects are followed by the engine, on the same host only.
	Transport http.RoundTripper
	// Timeout ends one request, its answer included; 0: two minutes.
	Timeout time.Duration
	// Memory bounds the objects kept in memory, in bytes, over all
	// repositories; 0: 96 MiB.
	Memory int64
	// Disk bounds what all clones take on disk, in bytes: those used least
	// recently are emptied, and fetched again when they are needed; 0: 10 GiB.
	Disk int64
	// UserAgent is sent with each request; empty: "git/stagecoach", because
	// git servers tell clients by that prefix.
	UserAgent string
	// OnFetch and OnPush are called before each request that costs: POST
	// git-upload-pack and POST git-receive-pack. They must not block.
	OnFetch, OnPush func(ctx context.Context, repository int64)
	// OnRefused is called with a token that a server did not take, so that the next
	// one is another. It must not block. nil: nobody is told.
	OnRefused func(token string)
	// MayPush is asked before each push; its error is the push's answer. It must
	// not block: promotion.RetryAfter says when to come again. nil: always.
	MayPush func(ctx context.Context, repository int64) error
}

// Engine holds the cached clones under one directory.
type Engine struct {
	dir  string
	opts Options
	http *http.Client
	memo *recent

	mu     sync.Mutex
	clones map[int64]*clone
	shelf  shelf
	closed bool
	lock   *dirlock.Lock // of dir

	closing context.Context // ended by Close
	end     context.CancelFunc
	working sync.WaitGroup // goroutines of our own
}

// ErrClosed means that the engine was closed.
var ErrClosed = errors.New("the git engine is closed")

// New opens an engine on dir, which is made if it is missing, and is this
// engine's alone until Close.
func New(dir string, opts Options) (*Engine, error) {
	if dir == "" {
		return nil, errors.New("gitops: a directory for the clones is needed")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of the clones: %w", err)
	}
	lock, err := lockDir(dir)
	if err != nil {
		return nil, err
	}
	kept, err := readShelf(dir)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("look at the clones: %w", err), lock.Close())
	}
	opts = opts.withDefaults()
	closing, end := context.WithCancel(context.Background())
	return &Engine{
		closing: closing, end: end,
		dir: dir, opts: opts, memo: newRecent(opts.Memory), clones: map[int64]*clone{}, shelf: kept, lock: lock,
		http: &http.Client{
			Transport:     opts.Transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// lockDir takes the directory of the clones for this engine.
func lockDir(dir string) (*dirlock.Lock, error) {
	lock, err := dirlock.Take(dir)
	if errors.Is(err, dirlock.ErrInUse) {
		return nil, fmt.Errorf("another Stagecoach process uses the clones in %s: stop it, or give this one a data directory of its own", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("take the directory of the clones: %w", err)
	}
	return lock, nil
}

func (o Options) withDefaults() Options {
	if o.Transport == nil {
		o.Transport = &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			TLSHandshakeTimeout: 10 * time.Second,
			IdleConnTimeout:     90 * time.Second,
			MaxIdleConnsPerHost: 16,
			ForceAttemptHTTP2:   true,
		}
	}
	if o.Timeout <= 0 {
		o.Timeout = 2 * time.Minute
	}
	if o.Memory <= 0 {
		o.Memory = 96 << 20
	}
	if o.Disk <= 0 {
		o.Disk = 10 << 30
	}
	if o.UserAgent == "" {
		o.UserAgent = "git/stagecoach"
	}
	if o.OnFetch == nil {
		o.OnFetch = func(context.Context, int64) {}
	}
	if o.MayPush == nil {
		o.MayPush = func(context.Context, int64) error { return nil }
	}
	if o.OnPush == nil {
		o.OnPush = func(context.Context, int64) {}
	}
	return o
}

// Close lets go of files and connections, and waits until pushes under way have
// been given up. Calls may fail with ErrClosed. Closing twice is closing once.
func (e *Engine) Close() error {
	err := e.close()
	e.working.Wait()
	return err
}

func (e *Engine) close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	e.end()
	var errs []error
	for _, c := range e.clones {
		errs = append(errs, c.close())
	}
	e.http.CloseIdleConnections()
	return errors.Join(append(errs, e.lock.Close())...)
}

// goWork starts a goroutine that Close waits for; false: the engine is closed.
// f gets a context that Close ends.
func (e *Engine) goWork(f func(context.Context)) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.working.Go(func() { f(e.closing) })
	}
	return !e.closed
}

// Auth gives the token for one operation; the user is x-access-token. An empty
// token sends none.
type Auth func(ctx context.Context) (token string, err error)

// Repository is a cheap handle on one repository of the remote.
type Repository struct {
	engine *Engine
	clone  *clone
	url    *url.URL
	urlErr error
	auth   Auth
}

// Repository gives a handle. Handles of the same id share one clone, whatever
// their url: repositories get renamed. User information in url is ignored, and
// a url that is none is reported by the first call. A nil auth sends no token.
func (e *Engine) Repository(id int64, rawURL string, auth Auth) *Repository {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.clones[id]
	if c == nil {
		c = newClone(id, filepath.Join(e.dir, strconv.FormatInt(id, 10)+".git"))
		e.clones[id] = c
		if e.closed {
			_ = c.close()
		}
	}
	e.use(c)
	r := &Repository{engine: e, clone: c, auth: auth}
	r.url, r.urlErr = cleanURL(rawURL)
	return r
}

func cleanURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, errors.New("the repository's URL is not an http or https URL") // the text itself may hold a secret
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: strings.TrimSuffix(u.Path, "/")}, nil
}

// name is how messages name the repository: "acme/gitops".
func (r *Repository) name() string {
	if r.url == nil {
		return "repository " + strconv.FormatInt(r.clone.id, 10)
	}
	return strings.TrimSuffix(strings.TrimPrefix(r.url.Path, "/"), ".git")
}

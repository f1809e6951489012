package registry

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/stagecoach-app/stagecoach/gitops/egress"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// Options are what a Client works with.
type Options struct {
	Policy      *egress.Policy // nil: public addresses alone
	Credentials *Credentials   // nil: none
	UserAgent   string
	Now         func() time.Time // nil: time.Now
}

// Client asks registries.
type Client struct {
	opts    Options
	http    *http.Client
	tenants *lru.Cache[string, *tenant]
}

// mostTenants is how many owners have their connections and answers remembered.
const mostTenants = 500

// New makes a client. It holds no connection until it is asked.
func New(opts Options) *Client {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	tenants, _ := lru.New[string, *tenant](mostTenants) // fails for a negative size alone
	return &Client{opts: opts, http: opts.Policy.Client(), tenants: tenants}
}

// tenant is all that belongs to one GitHub owner.
type tenant struct {
	owner  string
	client *Client
	http   *http.Client
	puller *remote.Puller
	built  *lru.Cache[string, built]
}

func (c *Client) tenant(owner string) (*tenant, error) {
	owner = strings.ToLower(owner)
	if t, ok := c.tenants.Get(owner); ok {
		return t, nil
	}
	wire, err := newWire(c.http.Transport, c.opts.Now)
	if err != nil {
		return nil, err
	}
	t := &tenant{owner: owner, client: c, http: &http.Client{Transport: wire, CheckRedirect: c.http.CheckRedirect, Timeout: time.Minute}}
	if t.built, err = lru.New[string, built](4 * mostBuilt); err != nil {
		return nil, err
	}
	t.puller, err = remote.NewPuller(remote.WithTransport(wire), remote.WithAuthFromKeychain(t), remote.WithUserAgent(c.opts.UserAgent),
		remote.WithRetryBackoff(remote.Backoff{Duration: 200 * time.Millisecond, Factor: 2, Steps: 2}))
	if err != nil {
		return nil, err
	}
	if before, ok, _ := c.tenants.PeekOrAdd(owner, t); ok {
		return before, nil
	}
	return t, nil
}

// Resolve finds the credentials of the owner for a repository of images.
func (t *tenant) Resolve(r authn.Resource) (authn.Authenticator, error) {
	l, ok := t.client.opts.Credentials.find(t.owner, r.String())
	switch {
	case !ok:
		return authn.Anonymous, nil
	case l.token != "":
		return &authn.Bearer{Token: l.token}, nil
	}
	return &authn.Basic{Username: l.user, Password: l.password}, nil
}

// Login is what the pipelines of a GitHub owner may show at an address, see
// Credentials.Login.
func (c *Client) Login(owner, address string) (user, password, token string) {
	return c.opts.Credentials.Login(owner, address)
}

// Query asks for the newest artifact of a source, or for one version of it.
type Query struct {
	Owner   string              // of the repository with the pipeline, whose credentials are used
	Source  string              // its name in the pipeline
	Known   *promotion.Artifact // as last seen; nil: none was
	Version string              // empty: the newest
}

// Found is the answer.
type Found struct {
	Artifact *promotion.Artifact // nil: nothing fits
	Gone     string              // why Known is not to be had any more; empty: it is, or is as it was
	Floats   bool                // the artifact's tag is meant to move
}

var _ authn.Keychain = (*tenant)(nil)

// bounded ends what takes longer than anybody waits.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, 90*time.Second)
}

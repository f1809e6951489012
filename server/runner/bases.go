package runner

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/gitops/egress"
	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// Bases is how kustomizations reach bases elsewhere. The zero value lets them name none.
type Bases struct {
	// Allowed are the hosts, or hosts with the beginning of a path, that may be
	// named: github.com/acme. One that begins with http:// is reached without TLS.
	Allowed []string
	// Git fetches from hosts other than GitHub's own. Nobody is logged in there.
	Git *gitops.Engine
}

// bases are those that the pipelines of one repository may name.
type bases struct {
	*Runner
	own promotion.Repo
}

var _ step.Bases = bases{}

// Allowed implements step.Bases.
func (b bases) Allowed(raw string) error {
	if len(b.Bases.Allowed) == 0 {
		return promotion.Terminal(errors.New("this server fetches no bases from elsewhere; its operator may allow some by STAGECOACH_REMOTE_BASES, or copy it into the repository"))
	}
	u, err := url.Parse(raw)
	if err != nil || u.RawPath != "" || path.Clean("/"+strings.TrimPrefix(u.Path, "/")) != "/"+strings.TrimSuffix(strings.TrimPrefix(u.Path, "/"), "/") {
		return promotion.Terminal(errors.New("its path is spelled oddly; write it without %, .. and empty parts"))
	}
	for _, entry := range b.Bases.Allowed {
		if covered(entry, u) {
			return nil
		}
	}
	return promotion.Terminal(fmt.Errorf("the operator of this server allows bases from %s alone (STAGECOACH_REMOTE_BASES)", strings.Join(b.Bases.Allowed, ", ")))
}

// covered reports whether an entry of the operator's list allows an address.
func covered(entry string, u *url.URL) bool {
	scheme := "https"
	if rest, plain := strings.CutPrefix(entry, "http://"); plain {
		entry, scheme = rest, "http"
	}
	host, prefix, _ := strings.Cut(strings.TrimPrefix(entry, "https://"), "/")
	prefix = strings.Trim(prefix, "/")
	return u.Scheme == scheme && strings.EqualFold(u.Host, host) &&
		(prefix == "" || strings.HasPrefix(strings.Trim(u.Path, "/")+"/", prefix+"/"))
}

// Open implements step.Bases.
func (b bases) Open(ctx context.Context, raw, ref string) (step.Workspace, string, error) {
	from, err := b.repositoryAt(ctx, raw)
	if err != nil {
		return nil, "", judged(err)
	}
	mount, err := mountRef(from.refs, ref)
	if err != nil {
		return nil, "", err
	}
	ws, err := from.git.Workspace(ctx, []promotion.Mount{mount}, nil)
	if err != nil {
		return nil, "", judged(err)
	}
	return outsideTree{tree{ws}}, mount.Commit, nil
}

// repositoryAt is the repository at an address. On GitHub it is read as a source
// would be: our own, one that shares with us, or a public one.
func (b bases) repositoryAt(ctx context.Context, raw string) (origin, error) {
	if rest, ours := strings.CutPrefix(strings.ToLower(raw), strings.ToLower(b.WebURL)+"/"); ours {
		name := strings.TrimSuffix(raw[len(raw)-len(rest):], ".git")
		if strings.Count(name, "/") != 1 {
			return origin{}, promotion.Terminal(fmt.Errorf("%s is no repository", name))
		}
		return b.origin(ctx, b.own, name)
	}
	git := b.Bases.Git.Repository(foreignID(raw), raw, nil)
	refs, err := git.Refs(ctx)
	return origin{git: git, refs: refs}, err
}

// foreignID is the number by which the cache knows a repository that GitHub did not number.
func foreignID(raw string) int64 {
	sum := sha256.Sum256([]byte(raw))
	return int64(binary.BigEndian.Uint64(sum[:8]) >> 1)
}

// mountRef is the commit that a ref names, as git looks for it: a tag before a branch.
func mountRef(refs gitops.Refs, ref string) (promotion.Mount, error) {
	name := strings.TrimPrefix(ref, "refs/")
	tag, branch := strings.TrimPrefix(name, "tags/"), strings.TrimPrefix(name, "heads/")
	switch {
	case ref == "" && refs.Heads[refs.Default] == "":
		return promotion.Mount{}, promotion.Terminal(errors.New("it is empty, or does not say which branch is its default; name one by ?ref="))
	case ref == "":
		return promotion.Mount{Path: ".", Branch: refs.Default, Commit: refs.Heads[refs.Default]}, nil
	case refs.Tags[tag] != "":
		return promotion.Mount{Path: ".", Commit: refs.Tags[tag]}, nil
	case refs.Heads[branch] != "":
		return promotion.Mount{Path: ".", Branch: branch, Commit: refs.Heads[branch]}, nil
	case len(ref) == 40 && strings.Trim(ref, "0123456789abcdef") == "":
		return promotion.Mount{Path: ".", Commit: ref}, nil
	}
	return promotion.Mount{}, promotion.Terminal(fmt.Errorf("there is no branch or tag %s; a commit is named by all of its 40 digits", ref))
}

// longestWait bounds for how long somebody else's server may have a promotion wait.
const longestWait = time.Hour

// judged says whether trying again can help with what is elsewhere: nobody here can
// give permissions there.
func judged(err error) error {
	refused, large, missing := new(egress.Refused), new(egress.TooLarge), new(promotion.MissingPermission)
	wait, waits := promotion.WaitOf(err)
	switch {
	case errors.As(err, &refused):
		return promotion.Terminal(refused)
	case errors.As(err, &large):
		return promotion.Terminal(large)
	case waits:
		return promotion.RetryAfter(min(wait, longestWait), err)
	case errors.As(err, &missing), gitops.Absent(err):
		return promotion.Terminal(fmt.Errorf("it is not there, or not for everybody to read: %v", err))
	}
	return err
}

// File implements step.Bases.
func (b bases) File(ctx context.Context, raw string, most int64) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, raw, http.NoBody)
	if err != nil {
		return nil, promotion.Terminal(errors.New("it is no address"))
	}
	resp, err := b.Client.Do(req)
	if err != nil {
		return nil, judged(fmt.Errorf("fetch it: %w", err))
	}
	defer func() { _ = resp.Body.Close() }()
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	switch code := resp.StatusCode; {
	case code >= 500, code == http.StatusTooManyRequests, code == http.StatusRequestTimeout:
		return nil, fmt.Errorf("fetch it: the server answered %s", resp.Status)
	case code != http.StatusOK:
		return nil, promotion.Terminal(fmt.Errorf("the server answered %s; only what anybody may read can be named", resp.Status))
	case kind == "text/html":
		return nil, promotion.Terminal(errors.New("it is a page for people, not a manifest; name the file itself"))
	}
	content, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read it: %w", err)
	case int64(len(content)) > most:
		return nil, promotion.Terminal(&egress.TooLarge{Most: most})
	}
	return content, nil
}

// outsideTree is a tree elsewhere: what fails there is judged otherwise than here.
type outsideTree struct{ tree }

func (t outsideTree) ReadFile(ctx context.Context, p string) ([]byte, error) {
	content, err := t.tree.ReadFile(ctx, p)
	return content, passed(err)
}

func (t outsideTree) Stat(ctx context.Context, p string) (step.Entry, error) {
	e, err := t.tree.Stat(ctx, p)
	return e, passed(err)
}

func (t outsideTree) ReadDir(ctx context.Context, p string) ([]step.Entry, error) {
	entries, err := t.tree.ReadDir(ctx, p)
	return entries, passed(err)
}

func passed(err error) error {
	if err == nil {
		return nil
	}
	return judged(err)
}

package runner

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// believed is how long a repository that could be read is taken to be one still. The
// steps of a promotion follow each other closely, and it is not asked before each; one
// that goes on after a wait, or after a restart, has it asked again.
const believed = time.Minute

// pair is a pipeline's repository and one that it reads.
type pair struct{ own, other int64 }

// sight is when a repository could be read, and how it is reached.
type sight struct {
	repo promotion.Repo
	at   time.Time
}

// seen remembers for a while which repositories could be read by which.
type seen struct {
	now func() time.Time

	mu     sync.Mutex
	sights map[pair]sight
}

func (s *seen) note(own, other promotion.Repo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	maps.DeleteFunc(s.sights, func(_ pair, old sight) bool { return now.Sub(old.at) > believed })
	s.sights[pair{own.ID, other.ID}] = sight{other, now}
}

func (s *seen) get(own, other int64) (promotion.Repo, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last, ok := s.sights[pair{own, other}]
	return last.repo, ok && s.now().Sub(last.at) <= believed
}

// mountOther mounts what an earlier step checked out of another repository, if that
// may be read still.
func (r *Runner) mountOther(ctx context.Context, own promotion.Repo, ws *gitops.Workspace, m promotion.Mount) error {
	if repo, ok := r.seen.get(own.ID, m.RepoID); ok {
		return ws.MountFrom(ctx, r.repository(repo), m)
	}
	from, err := r.origin(ctx, own, m.RepoName)
	switch {
	case err != nil:
		return err
	case from.ID != m.RepoID:
		return promotion.Terminal(fmt.Errorf("%s is another repository now than the one that git-clone checked out", m.RepoName))
	}
	r.seen.note(own, from.Repo)
	return ws.MountFrom(ctx, from.git, m)
}

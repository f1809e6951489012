package plan

import (
	"context"
	"fmt"
	"strings"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/gitops/worktree"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// Offline is the working tree of a clone as the tree of a plan: nothing but that clone
// is read.
type Offline struct{ *worktree.Tree }

// MountOther implements Tree: it mounts nothing.
func (Offline) MountOther(_ context.Context, repoURL string, _ Checkout) (string, error) {
	return "", fmt.Errorf("%s is another repository, and a plan of a clone is made offline: %w", repoURL, step.ErrOffline)
}

// Own implements Tree, by the clone's remote. A clone without one that leads to an
// OWNER/NAME is taken for that of any address.
func (o Offline) Own(repoURL string) bool {
	home, own, known := promotion.ParseRepoURL(o.Remote())
	host, name, ok := promotion.ParseRepoURL(repoURL)
	return !known || home == "" || ok && strings.EqualFold(name, own) && (host == "" || host == home)
}

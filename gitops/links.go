package gitops

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// resolve follows the links on the way to what a path names. One that leads out
// of the workspace is a Terminal error.
func (w *Workspace) resolve(ctx context.Context, name string) (string, error) {
	clean, err := cleanPath(name)
	if err != nil {
		return "", err
	}
	for range maxLinks {
		next, err := w.step(ctx, clean)
		if err != nil || next == "" {
			return clean, err
		}
		clean = next
	}
	return "", promotion.Terminal(fmt.Errorf("path %q leads through too many links", name))
}

// step follows the first link on the way; "" means that there is none.
func (w *Workspace) step(ctx context.Context, clean string) (string, error) {
	for n := 1; clean != "."; n++ {
		prefix, more := prefixOf(clean, n)
		if !more {
			break
		}
		f, err := w.look(ctx, prefix)
		if err != nil {
			return "", err
		}
		if f.mode == modeLink {
			w.note(prefix, f)
			return w.target(ctx, f, prefix, strings.TrimPrefix(clean, prefix))
		}
		if !f.exists() {
			break
		}
	}
	return "", nil
}

func (w *Workspace) target(ctx context.Context, f found, link, rest string) (string, error) {
	to, err := f.content(ctx)
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(string(to), "/") {
		return "", promotion.Terminal(fmt.Errorf("the link %s leads out of the repository", link))
	}
	next, err := cleanPath(path.Join(path.Dir(link), string(to)) + rest)
	if err != nil {
		return "", promotion.Terminal(fmt.Errorf("the link %s leads out of the repository", link))
	}
	return next, nil
}

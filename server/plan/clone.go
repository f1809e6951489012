package plan

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/promotion"
)

const usesClone = "git-clone"

// clone runs a git-clone and notes its state. The status is empty when the state's
// phase says it.
func (r Request) clone(ctx context.Context, p *promotion.Promotion, config json.RawMessage, st *promotion.StepState) string {
	err := promotion.KindOf(usesClone).Refuses(config)
	var c struct {
		RepoURL  string
		Checkout []Checkout
	}
	if err == nil {
		err = json.Unmarshal(config, &c)
	}
	if err == nil && firstCheckout(p) {
		err = r.Tree.Unmount(ctx)
	}
	commits := map[string]string{}
	mount := r.own
	if c.RepoURL != "" && !r.Tree.Own(c.RepoURL) {
		mount = func(ctx context.Context, _ *promotion.Promotion, c2 Checkout) (string, error) {
			return r.other(ctx, c.RepoURL, c2)
		}
	}
	missing := ""
	for _, each := range c.Checkout {
		if err != nil {
			break
		}
		each.Path = path.Clean("./" + each.Path)
		var sha string
		sha, err = mount(ctx, p, each)
		if errors.Is(err, step.ErrOffline) {
			missing, err, sha = err.Error(), nil, each.Commit
		}
		if sha != "" {
			commits[cmp.Or(each.As, each.Path)] = sha
		}
	}
	st.Phase = promotion.StepSucceeded
	if err != nil {
		st.Phase, st.Message = promotion.StepErrored, err.Error()
		return ""
	}
	raw, _ := json.Marshal(commits) // texts have a JSON form
	st.Output = map[string]json.RawMessage{"commits": raw}
	if st.Message = missing; missing != "" {
		return NotRun
	}
	st.Message = "the branch " + p.Plan.Branch + " is the working tree; other commits are read from the clone"
	return ""
}

// firstCheckout reports whether nothing is mounted before this git-clone that stays
// beside it: it, or one that was skipped, is the first step.
func firstCheckout(p *promotion.Promotion) bool {
	if p.Plan.Steps[0].Uses != usesClone {
		return false
	}
	for i, st := range p.Steps {
		if p.Plan.Steps[i].Uses == usesClone && st.Phase == promotion.StepSucceeded {
			return false
		}
	}
	return true
}

// own mounts a checkout of the pipeline's repository: the stage's branch is the home.
func (r Request) own(ctx context.Context, p *promotion.Promotion, c Checkout) (sha string, err error) {
	ref := c.Commit + c.Tag
	if ref == "" && (c.Branch == "" || c.Branch == p.Plan.Branch) {
		return "", r.Tree.MountHome(ctx, c.Path)
	}
	ref = cmp.Or(ref, c.Branch)
	if err := r.Tree.MountCommit(ctx, c.Path, ref); err != nil {
		return "", err
	}
	sha, _ = r.Tree.Resolve(ctx, ref) // it was just mounted
	return sha, nil
}

// other mounts a checkout of another repository, or notes that it is absent.
func (r Request) other(ctx context.Context, repoURL string, c Checkout) (string, error) {
	sha, err := r.Tree.MountOther(ctx, repoURL, c)
	if errors.Is(err, step.ErrOffline) {
		r.absent.repos[c.Path] = repoURL
	}
	return sha, err
}

// absent is a tree that lacks the checkouts of other repositories: whatever is looked
// for there is not known.
type absent struct {
	Tree

	repos  map[string]string // the repository by the path of its checkout
	missed string            // what the step that runs now looked for in vain, as a sentence
}

// tree is what the next step works in.
func (a *absent) tree() step.Workspace {
	a.missed = ""
	if len(a.repos) == 0 {
		return a.Tree
	}
	return a
}

// Mounts implements Tree, with what is absent.
func (a *absent) Mounts() []promotion.Mount {
	out := slices.Clone(a.Tree.Mounts())
	for at := range a.repos {
		out = append(out, promotion.Mount{Path: at})
	}
	slices.SortFunc(out, func(a, b promotion.Mount) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

// look refuses paths at and below the absent checkouts.
func (a *absent) look(name string) error {
	clean := path.Clean(name)
	for at, repo := range a.repos {
		if at == "." && !a.held(clean) || clean == at || len(clean) > len(at) && clean[:len(at)+1] == at+"/" {
			a.missed = fmt.Sprintf("it needs %s of %s, which is not read here", clean, repo)
			return fmt.Errorf("%s: %w", a.missed, step.ErrOffline)
		}
	}
	return nil
}

// held reports whether a path lies in a checkout that is there.
func (a *absent) held(clean string) bool {
	return slices.ContainsFunc(a.Tree.Mounts(), func(m promotion.Mount) bool {
		return clean == m.Path || len(clean) > len(m.Path) && clean[:len(m.Path)+1] == m.Path+"/"
	})
}

// ReadFile implements step.Workspace.
func (a *absent) ReadFile(ctx context.Context, name string) ([]byte, error) {
	if err := a.look(name); err != nil {
		return nil, err
	}
	return a.Tree.ReadFile(ctx, name)
}

// Stat implements step.Workspace.
func (a *absent) Stat(ctx context.Context, name string) (step.Entry, error) {
	if err := a.look(name); err != nil {
		return step.Entry{}, err
	}
	return a.Tree.Stat(ctx, name)
}

// ReadDir implements step.Workspace.
func (a *absent) ReadDir(ctx context.Context, name string) ([]step.Entry, error) {
	if err := a.look(name); err != nil {
		return nil, err
	}
	return a.Tree.ReadDir(ctx, name)
}

// WriteFile implements step.Workspace.
func (a *absent) WriteFile(ctx context.Context, name string, content []byte, mode uint32) error {
	if err := a.look(name); err != nil {
		return err
	}
	return a.Tree.WriteFile(ctx, name, content, mode)
}

// Remove implements step.Workspace.
func (a *absent) Remove(ctx context.Context, name string) error {
	if err := a.look(name); err != nil {
		return err
	}
	return a.Tree.Remove(ctx, name)
}

package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// tag notes what it takes to make a tag. It is made when it is pushed, on the
// commit that the checkout has then: what git-push sends may be another commit than
// the one that git-commit made.
func (r *Runner) tag(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	var config struct {
		Path, Tag, Message string
		Tagger             *struct{ Name, Email, SigningKey string }
		Force              bool
	}
	if err := decode(t, &config); err != nil {
		return promotion.Result{}, err
	}
	ws, mounts, err := r.openOwn(ctx, t)
	if err != nil {
		return promotion.Result{}, err
	}
	m, err := mountOf(t, mounts, config.Path)
	if err != nil {
		return promotion.Result{}, err
	}
	at, err := headOf(t, m)
	if err != nil {
		return promotion.Result{}, err
	}
	how := recipe{Path: m.Path, Tag: config.Tag, Message: message(t, config.Message)}
	if config.Tagger != nil && config.Tagger.Name != "" {
		how.Author = &gitops.Ident{Name: config.Tagger.Name, Email: config.Tagger.Email}
	}
	if _, err := gitops.NewTag(gitops.TagRequest{Name: how.Tag, Target: at.commit}); err != nil {
		return promotion.Result{}, fmt.Errorf("git-tag: %w", err)
	}
	out := result(ws, mounts)
	out.Message = fmt.Sprintf("%s is to name %.7s", how.Tag, at.commit)
	out.Output = output("commit", at.commit)
	out.Recipe, err = json.Marshal(how)
	return out, err
}

// head is the commit that a checkout has.
type head struct {
	commit string
	made   *recipe // set while GitHub lacks it: no git-push has sent it
}

// headOf follows what the steps did to a checkout: git-clone mounted a commit,
// git-commit put one on it, git-push sent that, perhaps as another one. Where the
// records were lost with the store, it is the commit that has landed.
func headOf(t promotion.Task, m promotion.Mount) (head, error) {
	at := head{commit: m.Commit}
	if landed := t.Promotion.Landed; landed != "" && m.Branch == t.Promotion.Plan.Branch {
		at.commit = landed
	}
	for i, rec := range t.Records {
		how, ok, err := recipeOf(rec)
		switch {
		case err != nil:
			return at, err
		case t.Promotion.Plan.Steps[rec.Step].Uses == "git-clone":
			if !keeps(t.Records, i, m.Path) {
				at = head{commit: m.Commit}
			}
		case ok && how.Tag == "" && how.Path == m.Path && !rec.Result.Empty:
			at = head{rec.Result.Commit, &how}
		case rec.Result.Pushed != "" && at.made != nil:
			at = head{commit: rec.Result.Commit}
		}
	}
	if at.commit == "" {
		return at, promotion.Terminal(fmt.Errorf("%s: nothing is committed at %s yet, so there is nothing to tag", t.Step.Uses, m.Path))
	}
	return at, nil
}

// pushTag makes the tag that git-tag noted.
func (r *Runner) pushTag(ctx context.Context, t promotion.Task, at, name string) (promotion.Result, error) {
	how, err := tagRecipe(t, name)
	if err != nil {
		return promotion.Result{}, err
	}
	if at != "" && path.Clean("./"+at) != how.Path {
		return promotion.Result{}, promotion.Terminal(fmt.Errorf("git-push: git-tag made %s at %s, not at %s", name, how.Path, at))
	}
	ws, mounts, err := r.openOwn(ctx, t)
	if err != nil {
		return promotion.Result{}, err
	}
	m, err := mountOf(t, mounts, how.Path)
	if err != nil {
		return promotion.Result{}, err
	}
	target, err := headOf(t, m)
	if err != nil {
		return promotion.Result{}, err
	}
	push := gitops.TagPush{Look: t.Effect.Look}
	if target.made != nil {
		if push.Commit, err = r.unpushed(ctx, t, ws, m, *target.made); err != nil {
			return promotion.Result{}, err
		}
	}
	if push.Tag, err = r.makeTag(ctx, t, how, target.commit); err != nil {
		return promotion.Result{}, err
	}
	return r.sendTag(ctx, t, push)
}

// tagRecipe is what git-tag noted of a tag.
func tagRecipe(t promotion.Task, name string) (recipe, error) {
	for i := len(t.Records) - 1; i >= 0; i-- {
		if how, ok, err := recipeOf(t.Records[i]); err != nil || ok && how.Tag == name {
			return how, err
		}
	}
	return recipe{}, promotion.Terminal(fmt.Errorf("git-push: no git-tag made the tag %s before it", name))
}

// unpushed makes the commit that travels with its tag.
func (r *Runner) unpushed(ctx context.Context, t promotion.Task, ws *gitops.Workspace, m promotion.Mount, how recipe) (gitops.Commit, error) {
	if verified(t) {
		return gitops.Commit{}, promotion.Terminal(errors.New("git-push: GitHub signs what goes to a branch, not what a tag brings: with `commits: {verified: true}` push the branch before the tag"))
	}
	return r.makeCommit(ctx, t, ws, m, how)
}

func (r *Runner) makeTag(ctx context.Context, t promotion.Task, how recipe, target string) (gitops.Tag, error) {
	req := gitops.TagRequest{Name: how.Tag, Target: target, Message: how.Message, When: t.Promotion.StartedAt}
	if how.Author != nil {
		req.Tagger = *how.Author
		return gitops.NewTag(req)
	}
	var err error
	if req.Tagger, err = r.Bot(ctx); err != nil {
		return gitops.Tag{}, fmt.Errorf("find out who we are: %w", err)
	}
	return gitops.NewTag(req)
}

func (r *Runner) sendTag(ctx context.Context, t promotion.Task, push gitops.TagPush) (promotion.Result, error) {
	name := push.Tag.Name
	adopted, err := r.repository(t.Repo).PushTag(ctx, push)
	var moved *gitops.TagMoved
	switch {
	case errors.As(err, &moved):
		return promotion.Result{Phase: promotion.StepFailed, Message: fmt.Sprintf(
			"the tag %s is there already, at %.7s and not at %.7s. Tags are not moved: choose another name, or delete it and `/retry`", name, moved.At, push.Tag.Target)}, nil
	case errors.Is(err, promotion.ErrStale): // no reason to begin the steps anew
		return promotion.Result{}, fmt.Errorf("push the tag %s: the server had it locked (%s)", name, err)
	case err != nil:
		return promotion.Result{}, fmt.Errorf("push the tag %s: %w", name, err)
	}
	out := promotion.Result{Phase: promotion.StepSucceeded, Message: fmt.Sprintf("%s names %.7s", name, push.Tag.Target), Output: output("commit", push.Tag.Target)}
	if adopted {
		out.Message += " already"
	}
	return out, nil
}

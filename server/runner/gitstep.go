package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/promotion"
)

func (r *Runner) gitStep(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	switch t.Step.Uses {
	case "git-clone":
		return r.clone(ctx, t)
	case "git-commit":
		return r.commit(ctx, t)
	case "git-push":
		return r.push(ctx, t)
	case "git-tag":
		return r.tag(ctx, t)
	}
	return promotion.Result{}, promotion.Terminal(fmt.Errorf("there is no git step %q", t.Step.Uses))
}

// decode reads a step's evaluated config. Types are checked here once more:
// what an expression gives is known only now.
func decode(t promotion.Task, into any) error {
	if err := promotion.KindOf(t.Step.Uses).Refuses(t.Config); err != nil {
		return err
	}
	d := json.NewDecoder(strings.NewReader(string(t.Config)))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return promotion.Terminal(fmt.Errorf("the config of %s: %w", t.Step.Uses, err))
	}
	return nil
}

// recipe is what it takes to make a commit or a tag again: the same recipe over the
// same workspace gives the same one.
type recipe struct {
	Path    string        `json:"path"`
	Message string        `json:"message"`
	Author  *gitops.Ident `json:"author,omitempty"` // of a tag, its tagger
	Tag     string        `json:"tag,omitempty"`    // its name, if a tag is to be made
}

// commit commits what the steps changed, among objects. Nothing outside changes.
func (r *Runner) commit(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	var config struct {
		Path    string
		Message string
		Author  *struct{ Name, Email, SigningKey string }
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
	how := recipe{Path: m.Path, Message: message(t, config.Message)}
	if config.Author != nil && config.Author.Name != "" {
		how.Author = &gitops.Ident{Name: config.Author.Name, Email: config.Author.Email}
	}
	how = credit(t, how)
	made, err := r.makeCommit(ctx, t, ws, m, how)
	if err != nil {
		return promotion.Result{}, err
	}
	out := result(ws, mounts)
	out.Commit, out.Empty, out.Changes = made.SHA, made.Empty, made.Changes
	out.Output = output("commit", made.SHA)
	out.Recipe, err = json.Marshal(how)
	return out, err
}

func (r *Runner) makeCommit(ctx context.Context, t promotion.Task, ws *gitops.Workspace, m promotion.Mount, how recipe) (gitops.Commit, error) {
	req, err := r.commitRequest(ctx, t, m, how)
	if err != nil {
		return gitops.Commit{}, err
	}
	made, err := r.repository(t.Repo).Commit(ctx, ws, req)
	if err != nil {
		return made, fmt.Errorf("commit the changes: %w", err)
	}
	return made, nil
}

func (r *Runner) commitRequest(ctx context.Context, t promotion.Task, m promotion.Mount, how recipe) (gitops.CommitRequest, error) {
	bot, err := r.Bot(ctx)
	if err != nil {
		return gitops.CommitRequest{}, fmt.Errorf("find out who we are: %w", err)
	}
	return gitops.CommitRequest{
		Path: how.Path, Message: how.Message, Author: how.Author, Bot: bot, When: t.Promotion.StartedAt, Parent: m.Commit,
	}, nil
}

// mountOf is the checkout that a step works on: the one named, else that of the
// stage's branch.
func mountOf(t promotion.Task, mounts []promotion.Mount, at string) (promotion.Mount, error) {
	if at != "" {
		want := path.Clean("./" + at)
		for _, m := range mounts {
			switch {
			case m.Path != want:
			case !m.Own():
				return m, promotion.Terminal(fmt.Errorf("%s: %s is a checkout of %s, which is read only: steps write to the pipeline's own repository, %s", t.Step.Uses, want, m.RepoName, t.Repo.FullName()))
			default:
				return m, nil
			}
		}
		return promotion.Mount{}, promotion.Terminal(fmt.Errorf("%s: nothing is checked out at %s", t.Step.Uses, want))
	}
	for _, m := range mounts {
		if m.Own() && m.Branch == t.Promotion.Plan.Branch {
			return m, nil
		}
	}
	return promotion.Mount{}, promotion.Terminal(fmt.Errorf("%s: the branch %s is not checked out; name a checkout with `path`", t.Step.Uses, t.Promotion.Plan.Branch))
}

func output(name string, value any) map[string]json.RawMessage {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	return map[string]json.RawMessage{name: raw}
}

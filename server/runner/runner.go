package runner

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/registry"
)

// GitHub is the API side.
type GitHub interface {
	Run(ctx context.Context, t promotion.Task) promotion.Result
	ConfigCheck(ctx context.Context, t promotion.Task, problems []promotion.Problem, pipelines map[string]*promotion.Pipeline) promotion.Result
	Plan(ctx context.Context, t promotion.Task, p promotion.Planned) promotion.Result
	// CommitCheck writes a check run on a commit of Task.Repo, which need not be the
	// repository of the pipeline: that is Task.State.Repo.
	CommitCheck(ctx context.Context, t promotion.Task, w promotion.Whereabouts) promotion.Result
	Token(ctx context.Context, installation int64) (string, error)
	Releases(ctx context.Context, repo promotion.Repo) ([]promotion.Release, error)
	// Named describes the repository that has, or once had, a name; nil: the credentials
	// of as see none.
	Named(ctx context.Context, as promotion.Repo, owner, name string) (*promotion.Repo, error)
	Commit(ctx context.Context, repo promotion.Repo, c promotion.APICommit) (sha string, err error)
	// Pulls lists the last pull requests from branches of promotions, the newest first.
	Pulls(ctx context.Context, repo promotion.Repo) ([]promotion.FoundPull, error)
	// Said lists the comments with commands, on an issue or a pull request, that an
	// earlier life took, the oldest first.
	Said(ctx context.Context, repo promotion.Repo, number int, isPull bool, commands func(body string) []promotion.Command) ([]promotion.Said, error)
	// Pushers are the logins of people who pushed to one of them.
	Pushers(ctx context.Context, repo promotion.Repo, number int) ([]string, error)
}

// Registry tells which images and charts there are.
type Registry interface {
	Image(ctx context.Context, q registry.Query, src promotion.ImageSource) (registry.Found, error)
	Chart(ctx context.Context, q registry.Query, src promotion.ChartSource) (registry.Found, error)
}

// Options are what a Runner works with.
type Options struct {
	Git    *gitops.Engine
	GitHub GitHub
	WebURL string // git is at WebURL/OWNER/REPO.git
	// Registry is asked for images and charts.
	Registry Registry
	// Find finds a repository that the app reaches by its OWNER/NAME; nil: none.
	Find func(ctx context.Context, fullName string) (promotion.Repo, bool)
	// Owned gives some repository of an owner that the app reaches; nil: none.
	Owned func(ctx context.Context, owner string) (promotion.Repo, bool)
	// Known gives a repository that the app reaches by its ID; nil: none.
	Known func(ctx context.Context, id int64) (promotion.Repo, bool)
	// Bot is who commits: the app's own account.
	Bot func(ctx context.Context) (gitops.Ident, error)
	// Login gives what the pipelines of a GitHub owner may show at an address (a host
	// and a path there): a name and a password, or a token. nil: nothing.
	Login func(owner, address string) (user, password, token string)
	// Client goes to addresses that pipelines name, and guards where that is; nil:
	// steps that need the network are refused.
	Client *http.Client
	// Commands are those that a comment gives.
	Commands func(body string) []promotion.Command
	// Bases says which bases kustomizations may name elsewhere; the zero value: none.
	Bases Bases
}

// Runner runs effects.
type Runner struct {
	Options

	seen  seen
	asked shared[place, gitops.Refs]
}

// place is a repository as some credentials reach it.
type place struct {
	repo, installation int64
	name               string
}

// refs are what the branches and tags of a repository point to: one request, which is
// shared by all who look at a time. They must not be changed.
func (r *Runner) refs(ctx context.Context, repo promotion.Repo) (gitops.Refs, error) {
	return r.asked.ask(ctx, place{repo.ID, repo.Installation, repo.FullName()}, r.repository(repo).Refs)
}

// New makes a runner.
func New(opts Options) *Runner {
	return &Runner{Options: opts, seen: seen{now: time.Now, sights: map[pair]sight{}}}
}

// Run runs one effect, by its kind.
func (r *Runner) Run(ctx context.Context, t promotion.Task) promotion.Result {
	var out promotion.Result
	var err error
	switch t.Effect.Kind {
	case promotion.KindStep:
		out, err = r.step(ctx, t)
	case promotion.KindSource:
		out, err = r.source(ctx, t)
	case promotion.KindCompare:
		out, err = r.compare(ctx, t)
	case promotion.KindDrift:
		out, err = r.drift(ctx, t)
	case promotion.KindCommitCheck:
		out, err = r.commitCheck(ctx, t)
	case promotion.KindAdopt:
		out, err = r.adopt(ctx, t)
	case promotion.KindConfigCheck:
		out, err = r.configCheck(ctx, t)
	case promotion.KindPlan:
		out, err = r.plan(ctx, t)
	default:
		out = r.GitHub.Run(ctx, t)
	}
	out.Effect = t.Effect.ID
	if err != nil {
		out.Err = err
	}
	return out
}

// step runs one step by its class.
func (r *Runner) step(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	kind := promotion.KindOf(t.Step.Uses)
	if kind == nil {
		return promotion.Result{}, promotion.Terminal(fmt.Errorf("there is no step %q in this version", t.Step.Uses))
	}
	switch kind.Class {
	case promotion.ClassEdit:
		return r.edit(ctx, t)
	case promotion.ClassGit:
		return r.gitStep(ctx, t)
	}
	return r.GitHub.Run(ctx, t), nil
}

// repository is the handle on the effect's repository. Its token is asked for
// when it is needed, by each operation anew.
func (r *Runner) repository(repo promotion.Repo) *gitops.Repository {
	url := fmt.Sprintf("%s/%s/%s.git", r.WebURL, repo.Owner, repo.Name)
	return r.Git.Repository(repo.ID, url, func(ctx context.Context) (string, error) {
		return r.GitHub.Token(ctx, repo.Installation)
	})
}

package status

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/handlers/ghapi"
	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
	"github.com/stagecoach-app/stagecoach/server/runner"
)

// ErrNothing means that the repository has neither a pipeline nor a record.
var ErrNothing = errors.New("it has no pipeline on its default branch, and no tracking issue")

// Read reads the status of OWNER/NAME from the GitHub that the settings name. It
// takes a few requests and one look over git, and keeps nothing.
func Read(ctx context.Context, set *config.Settings, version, owner, name string, transport http.RoundTripper) (Status, error) {
	api, err := ghapi.New(ghapi.Options{
		WebURL: set.WebURL, V3URL: set.V3URL, AppID: set.AppID, PrivateKey: []byte(set.PrivateKey),
		LedgerKeys: append([][]byte{set.LedgerKey}, set.OldLedgerKeys...),
		Transport:  transport, UserAgent: "stagecoach/" + version, NoPace: true, // it writes nothing
	})
	if err != nil {
		return Status{}, err
	}
	repo, err := api.Find(ctx, owner, name)
	if err != nil {
		return Status{}, fmt.Errorf("find %s/%s: %w", owner, name, err)
	}
	s, err := record(ctx, api, repo)
	if err != nil {
		return Status{}, err
	}
	if err := addConfig(ctx, s, runner.Options{GitHub: api, WebURL: set.WebURL}, gitops.Options{
		Transport: transport, UserAgent: "git/stagecoach-" + version,
	}); err != nil {
		s.Problems = append(s.Problems, promotion.Problem{Text: "The stages are those of the record alone: " + err.Error()})
	}
	if s.Revision == 0 && len(s.Local.Config) == 0 && len(s.Problems) == 0 {
		return Status{}, fmt.Errorf("%s: %w", repo.FullName(), ErrNothing)
	}
	return Of(s, ledger.Links{WebURL: set.WebURL}), nil
}

// load reads the tracking issue or, where Issues are off, the check run in its place.
func load(ctx context.Context, api *ghapi.API, repo promotion.Repo) (*promotion.State, error) {
	if repo.NoIssues {
		return api.LoadLedgerCheck(ctx, repo, false)
	}
	return api.LoadLedger(ctx, repo, 0)
}

// record is the state that the ledger holds; an empty one when there is no ledger yet.
func record(ctx context.Context, api *ghapi.API, repo promotion.Repo) (*promotion.State, error) {
	s, err := load(ctx, api, repo)
	var unreadable *ghapi.LedgerError
	switch {
	case errors.As(err, &unreadable) && unreadable.Issue == 0:
		return &promotion.State{Repo: repo}, nil
	case errors.Is(err, ledger.ErrForged):
		return nil, fmt.Errorf("read the record of %s: %w (are GITHUB_APP_WEBHOOK_SECRET or STAGECOACH_LEDGER_KEY those of the server?)", repo.FullName(), err)
	case err != nil:
		return nil, fmt.Errorf("read the record of %s: %w", repo.FullName(), err)
	}
	s.Repo = repo
	return s, nil
}

// addConfig reads the pipeline files at the tip of the default branch into the state.
func addConfig(ctx context.Context, s *promotion.State, run runner.Options, git gitops.Options) (err error) {
	dir, err := os.MkdirTemp("", "stagecoach-status-")
	if err != nil {
		return fmt.Errorf("make a folder for git: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if run.Git, err = gitops.New(dir, git); err != nil {
		return err
	}
	defer func() { _ = run.Git.Close() }()
	read, err := runner.New(run).Read(ctx, s.Repo, "")
	if err != nil {
		return err
	}
	s.Local.Config = read.Pipelines
	told := map[string]bool{}
	for _, ps := range s.Pipelines {
		for _, p := range ps.Broken {
			told[problem(p)] = true
		}
	}
	for _, broken := range read.Broken {
		for _, p := range broken {
			if !told[problem(p)] {
				s.Problems = append(s.Problems, p)
			}
		}
	}
	return nil
}

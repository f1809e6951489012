package ghapi

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

// LedgerCheckName is the check run that holds the ledger where Issues are switched
// off. A stage may have that name too: external IDs tell them apart.
const LedgerCheckName = "stagecoach/ledger"

// The external IDs of the check runs that hold the ledger, and of those that hold
// what does not fit into it.
const (
	ledgerID     = "ledger"
	ledgerPartID = "ledger-part"
)

// SaveLedgerCheck writes the state into a check run on the tip of the default branch,
// where the repository has no Issues. One that stands there already is written anew;
// look says that an earlier try's answer is missing. One write, and one for each
// overflow part that is not there yet. The state is not changed: the caller notes
// where the ledger stands.
func (a *API) SaveLedgerCheck(ctx context.Context, s *promotion.State, look bool) (promotion.LedgerCheck, error) {
	r, err := a.repository(s.Repo)
	if err != nil {
		return promotion.LedgerCheck{}, err
	}
	if len(a.opts.LedgerKeys) == 0 {
		return promotion.LedgerCheck{}, errNoKey
	}
	at, err := r.saveLedgerCheck(forAskers(ctx, s), s, look)
	return at, a.ledgerError(err, "write the ledger's check run of "+s.Repo.FullName())
}

func (r *repository) saveLedgerCheck(ctx context.Context, s *promotion.State, look bool) (promotion.LedgerCheck, error) {
	where, err := r.placeForLedger(ctx, s)
	if err != nil {
		return where, err
	}
	body, err := r.encode(at(s, 0))
	if err != nil {
		return where, err
	}
	var there ledgerRuns
	if where.ID == 0 && look || len(body.Overflow) > 0 {
		if there, err = r.settledLedgerRuns(ctx, s, where.SHA, look); err != nil {
			return where, err
		}
		where.ID = cmp.Or(where.ID, there.newest(ledgerID).GetID())
	}
	if err := r.writeRunParts(ctx, where.SHA, there, body.Overflow); err != nil {
		return where, err
	}
	where.ID, err = r.writeCheck(ctx, where.ID, ledgerRun(where.SHA, ledgerID, ledger.Headline(s), body.Text))
	return where, err
}

// placeForLedger is the tip of the default branch, with the check run that stands there.
func (r *repository) placeForLedger(ctx context.Context, s *promotion.State) (promotion.LedgerCheck, error) {
	tip := s.Local.Tips[s.Repo.DefaultBranch]
	if tip == "" {
		branch, _, err := r.Repositories.GetBranch(ctx, r.Owner, r.Name, s.Repo.DefaultBranch, 0)
		if err != nil {
			return promotion.LedgerCheck{}, err
		}
		tip = branch.GetCommit().GetSHA()
	}
	if at := s.Local.LedgerCheck; at.SHA == tip {
		return at, nil
	}
	return promotion.LedgerCheck{SHA: tip}, nil
}

// ledgerRun is a check run of the ledger. Its conclusion judges nothing.
func ledgerRun(sha, id, title, summary string) *checkBody {
	return &checkBody{
		Name: LedgerCheckName, HeadSHA: sha, ExternalID: id, Conclusion: "neutral", Output: output(title, summary), Actions: actions(nil),
	}
}

// writeRunParts writes the overflow parts that are not there yet. A check run cannot
// be deleted, so one that holds a part that the ledger does not name is used again.
func (r *repository) writeRunParts(ctx context.Context, sha string, there ledgerRuns, texts []string) error {
	named := ledger.PartsOf(there.newest(ledgerID).GetOutput().GetSummary(), r.api.opts.LedgerKeys)
	for _, text := range texts {
		hash, _ := ledger.PartHash(text)
		named = append(named, hash)
	}
	free := there.unnamed(named)
	for _, text := range texts {
		hash, _ := ledger.PartHash(text)
		if there.part(hash) != nil {
			continue
		}
		var id int64
		if len(free) > 0 {
			id, free = free[0].GetID(), free[1:]
		}
		if _, err := r.writeCheck(ctx, id, ledgerRun(sha, ledgerPartID, "A part of the ledger", text)); err != nil {
			return err
		}
	}
	return nil
}

// settledLedgerRuns are the ledger's check runs on a commit, once lists show what was
// made when the ledger was begun.
func (r *repository) settledLedgerRuns(ctx context.Context, s *promotion.State, sha string, look bool) (ledgerRuns, error) {
	if look {
		since := s.Local.Creating
		if since.IsZero() {
			since = r.api.opts.Now()
		}
		if err := r.api.sleep(ctx, since.Add(listLag).Sub(r.api.opts.Now())); err != nil {
			return nil, err
		}
	}
	return r.ledgerRunsOn(ctx, sha)
}

// ledgerRuns are check runs of the app that hold a ledger or parts of one, the newest
// first.
type ledgerRuns []*github.CheckRun

// ledgerRunsOn lists those of a commit or branch. Anybody's App may use the name: only
// our own count.
func (r *repository) ledgerRunsOn(ctx context.Context, ref string) (ledgerRuns, error) {
	var out ledgerRuns
	err := pages(func(page github.ListOptions) (*github.Response, bool, error) {
		list, resp, err := r.Checks.ListCheckRunsForRef(ctx, r.Owner, r.Name, ref, &github.ListCheckRunsOptions{
			CheckName: github.String(LedgerCheckName), Filter: github.String("all"), AppID: &r.api.opts.AppID, ListOptions: page,
		})
		if err != nil {
			return resp, true, err
		}
		for _, run := range list.CheckRuns {
			if run.GetApp().GetID() == r.api.opts.AppID && (run.GetExternalID() == ledgerID || run.GetExternalID() == ledgerPartID) {
				out = append(out, run)
			}
		}
		return resp, false, nil
	})
	slices.SortFunc(out, func(a, b *github.CheckRun) int { return cmp.Compare(b.GetID(), a.GetID()) })
	return out, err
}

// newest is the first with an external ID; nil: there is none.
func (all ledgerRuns) newest(id string) *github.CheckRun {
	for _, run := range all {
		if run.GetExternalID() == id {
			return run
		}
	}
	return nil
}

// part is the run that holds an overflow part; nil: there is none.
func (all ledgerRuns) part(hash string) *github.CheckRun {
	for _, run := range all {
		if held, ok := ledger.PartHash(run.GetOutput().GetSummary()); ok && held == hash && run.GetExternalID() == ledgerPartID {
			return run
		}
	}
	return nil
}

// unnamed are the runs of parts that are not among those named.
func (all ledgerRuns) unnamed(named []string) ledgerRuns {
	return slices.DeleteFunc(slices.Clone(all), func(run *github.CheckRun) bool {
		hash, ok := ledger.PartHash(run.GetOutput().GetSummary())
		return run.GetExternalID() != ledgerPartID || ok && slices.Contains(named, hash)
	})
}

var errNoKey = promotion.Terminal(errors.New("the ledger cannot be signed: set STAGECOACH_LEDGER_KEY or the webhook secret"))

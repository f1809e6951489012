package ghapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Attempt is one try of GitHub's to deliver a webhook.
type Attempt struct {
	ID           int64
	GUID         string // of the delivery; all attempts at it share it
	At           time.Time
	Installation int64 // 0: none
	Repository   int64 // 0: none
}

// FailedAttempts lists the attempts since a time that did not get through, the
// newest first. One request, and one more for each further hundred. It is of the
// App, not of an installation, and costs none of them anything.
// https://docs.github.com/en/rest/apps/webhooks#list-deliveries-for-an-app-webhook
func (a *API) FailedAttempts(ctx context.Context, since time.Time) ([]Attempt, error) {
	var out []Attempt
	for cursor := ""; ; {
		list, next, err := a.deliveries(ctx, cursor)
		if err != nil {
			return nil, a.classify(err, "list the deliveries of its webhook", false)
		}
		for _, d := range list {
			at := d.GetDeliveredAt().Time
			if at.Before(since) {
				return out, nil
			}
			if d.GetStatusCode()/100 != 2 { // the filter is GitHub's; who lacks it lists all
				out = append(out, Attempt{d.GetID(), d.GetGUID(), at, d.GetInstallationID(), d.GetRepositoryID()})
			}
		}
		if cursor = next; cursor == "" {
			return out, nil
		}
	}
}

// deliveries reads one page. go-github has no parameter for the status.
func (a *API) deliveries(ctx context.Context, cursor string) (list []*github.HookDelivery, next string, err error) {
	query := url.Values{"status": {"failure"}, "per_page": {"100"}}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	req, err := a.app.NewRequest(http.MethodGet, "app/hook/deliveries?"+query.Encode(), nil)
	if err != nil {
		return nil, "", err
	}
	resp, err := a.app.Do(ctx, req, &list)
	if err != nil {
		return nil, "", err
	}
	return list, resp.Cursor, nil
}

// ErrNotRedeliverable means that GitHub no longer sends that delivery again.
var ErrNotRedeliverable = errors.New("GitHub no longer sends this delivery again")

// Redeliver asks for another attempt at a delivery. It comes on its own, like any
// other, and with the same GUID. ErrNotRedeliverable: it is too old.
func (a *API) Redeliver(ctx context.Context, attempt int64) error {
	_, _, err := a.app.Apps.RedeliverHookDelivery(ctx, attempt)
	var accepted *github.AcceptedError
	switch code := status(err); {
	case err == nil, errors.As(err, &accepted): // go-github's word for 202
		return nil
	case code == http.StatusNotFound, code == http.StatusGone, code == http.StatusUnprocessableEntity:
		return errors.Join(ErrNotRedeliverable, err)
	}
	return a.classify(err, "have a delivery sent again", false)
}

// InstallationOf asks which installation reaches a repository, whatever it is
// called now: 0 when none does, because it was taken out, uninstalled or deleted.
// The request is of the App, and costs no installation anything.
func (a *API) InstallationOf(ctx context.Context, repo promotion.Repo) (id int64, suspended bool, err error) {
	inst, _, err := a.app.Apps.FindRepositoryInstallation(ctx, repo.Owner, repo.Name)
	switch {
	case status(err) == http.StatusNotFound:
		return 0, false, nil
	case err != nil:
		return 0, false, a.classify(err, "find its installation on "+repo.FullName(), false)
	}
	return inst.GetID(), inst.SuspendedAt != nil, nil
}

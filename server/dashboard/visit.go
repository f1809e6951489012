package dashboard

import (
	"errors"
	"net/http"
	"regexp"

	"github.com/rs/zerolog"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/server/store"
)

// visit is one request of somebody who is signed in.
type visit struct {
	*Dashboard
	w     http.ResponseWriter
	r     *http.Request
	who   *session
	repo  promotion.Repo // the zero value outside of one
	write bool           // they may push to it
}

// errMissing is a page that is not there, or not for this person: nobody can tell which.
var errMissing = errors.New("there is no such page")

// signedIn runs a page for who is signed in, and offers everybody else to do so.
func (d *Dashboard) signedIn(page func(*visit) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		who, err := d.session(r)
		if err == nil {
			v := &visit{Dashboard: d, w: w, r: r, who: who}
			err = page(v)
			if errors.Is(err, errRevoked) { // the person took it back, or GitHub did
				if dropped := d.drop(r.Context(), who); dropped != nil {
					zerolog.Ctx(r.Context()).Warn().Err(dropped).Msg("a session without a token could not be dropped")
				}
				err = errSignedOut
			}
			d.tell(v, err)
			return
		}
		if errors.Is(err, errSignedOut) {
			d.invite(w, r)
			return
		}
		d.failed(w, r, err)
	}
}

// tell ends a page that could not be shown.
func (d *Dashboard) tell(v *visit, err error) {
	var limit *limitError
	switch {
	case err == nil:
	case errors.Is(err, errSignedOut):
		d.invite(v.w, v.r)
	case errors.Is(err, errMissing):
		v.say(http.StatusNotFound, "There is no such page, or it is not for you to see.",
			"A repository is shown here if it has a pipeline, if the App is installed on it, and if you may see it on GitHub.")
	case errors.As(err, &limit):
		text := "GitHub limits your requests, so it cannot be asked what you may see. Try again in a few minutes."
		if !limit.Until.IsZero() {
			text = "Your requests to GitHub are used up, so it cannot be asked what you may see. Try again after " + clock(limit.Until, d.now()) + "."
		}
		v.say(http.StatusServiceUnavailable, text, "")
	case errors.Is(err, store.ErrNewer):
		v.say(http.StatusServiceUnavailable, "This repository is being worked on by a newer Stagecoach.", "This one leaves what it wrote alone. Upgrade it.")
	case v.r.Context().Err() != nil: // they went away
	default:
		zerolog.Ctx(v.r.Context()).Error().Err(err).Str("path", v.r.URL.Path).Msg("a page of the dashboard could not be shown")
		v.say(http.StatusServiceUnavailable, "This page cannot be shown now. Nothing is lost: promotions go on without it.", "Try again in a moment.")
	}
}

// namePart is what owners and repositories are called. GitHub is asked of nothing else.
var namePart = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,100}$`)

// inRepo runs a page of a repository that the person sees and that has a pipeline.
// GitHub is asked first, whether or not the repository is known here: how long an answer
// takes tells nobody which.
func inRepo(page func(*visit) error) func(*visit) error {
	return func(v *visit) error {
		owner, name := v.r.PathValue("owner"), v.r.PathValue("repo")
		if !namePart.MatchString(owner) || !namePart.MatchString(name) || name == "." || name == ".." || owner == "." || owner == ".." {
			return errMissing
		}
		seen, err := v.look(v.r.Context(), v.who, owner+"/"+name)
		if err != nil {
			return err
		}
		entry, known := v.opts.Store.Repo(v.r.Context(), seen.id)
		if seen.id == 0 || !known || !entry.HasPipeline {
			return errMissing
		}
		v.repo, v.write = entry.Repo, seen.write
		return page(v)
	}
}

// state is the repository's working copy and its revision; an empty one where nothing
// has run yet.
func (v *visit) state() (*promotion.State, uint64, error) {
	s, revision, err := v.opts.Store.Load(v.r.Context(), v.repo.ID)
	if errors.Is(err, store.ErrNone) {
		return &promotion.State{Repo: v.repo}, 0, nil
	}
	if err == nil {
		s.Repo = v.repo // the index hears of a new name first
	}
	return s, revision, err
}

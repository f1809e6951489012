package dashboard

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/stagecoach-app/stagecoach/server/store"
)

const (
	// listedFor is how long a list of what somebody may see counts.
	listedFor = 5 * time.Minute
	// pageSize is how many entries of a list GitHub gives at once, at most.
	pageSize = 100
	// listRequests bounds what one list may cost of the person's requests.
	listRequests = 120
)

// listing is the repositories with a pipeline that somebody has a role in.
type listing struct {
	entries []store.Entry
	cut     bool // there may be more: asking for all would be too much
	at      time.Time
}

// list asks for what the person sees of the repositories that are known to have a
// pipeline. Of an installation it takes the shorter way: to list what they see there, or
// to look at each one that counts.
func (d *Dashboard) list(ctx context.Context, who *session) (listing, error) {
	if known, is := d.seen.lists.Get(who.id); is && d.now().Sub(known.at) < listedFor {
		return known, nil
	}
	l := lister{Dashboard: d, who: who, left: listRequests, known: map[int64]map[int64]store.Entry{}}
	for _, e := range d.opts.Store.Repos(ctx) {
		if !e.HasPipeline {
			continue
		}
		if l.known[e.Repo.Installation] == nil {
			l.known[e.Repo.Installation] = map[int64]store.Entry{}
		}
		l.known[e.Repo.Installation][e.Repo.ID] = e
	}
	if err := l.installations(ctx); err != nil {
		return listing{}, err
	}
	out := listing{entries: l.found, cut: l.cut, at: d.now()}
	d.seen.lists.Add(who.id, out)
	return out, nil
}

// lister is one list on its way.
type lister struct {
	*Dashboard
	who   *session
	known map[int64]map[int64]store.Entry // installation → repositories with a pipeline
	left  int                             // requests
	found []store.Entry
	cut   bool
}

// get is a request that counts.
func (l *lister) get(ctx context.Context, path string, into any) (answer, error) {
	l.left--
	return l.github.get(ctx, l.who.Token, path, "", into)
}

func (l *lister) installations(ctx context.Context) error {
	for page := 1; ; page++ {
		var in struct {
			Installations []struct {
				ID int64 `json:"id"`
			} `json:"installations"`
		}
		got, err := l.get(ctx, fmt.Sprintf("user/installations?per_page=%d&page=%d", pageSize, page), &in)
		if err != nil {
			return err
		}
		if got.status != http.StatusOK {
			return fmt.Errorf("GitHub answered %d to a list of installations", got.status)
		}
		for _, inst := range in.Installations {
			if err := l.repositories(ctx, inst.ID); err != nil {
				return err
			}
		}
		if !got.more {
			return nil
		}
		if l.left <= 0 {
			l.cut = true
			return nil
		}
	}
}

// repositories takes up those of an installation that have a pipeline.
func (l *lister) repositories(ctx context.Context, installation int64) error {
	open := l.known[installation]
	for page := 1; len(open) > 0; page++ {
		if l.left <= 0 {
			l.cut = true
			return nil
		}
		var in struct {
			Total        int          `json:"total_count"`
			Repositories []repoAnswer `json:"repositories"`
		}
		got, err := l.get(ctx, fmt.Sprintf("user/installations/%d/repositories?per_page=%d&page=%d", installation, pageSize, page), &in)
		if err != nil {
			return err
		}
		for _, r := range in.Repositories {
			l.take(open, r)
		}
		if !got.more {
			return nil
		}
		if pages := (in.Total + pageSize - 1) / pageSize; len(open) < pages-page {
			return l.eachOf(ctx, open)
		}
	}
	return nil
}

// take notes a repository that the person sees, if it counts.
func (l *lister) take(open map[int64]store.Entry, r repoAnswer) {
	e, counts := open[r.ID]
	if !counts {
		return
	}
	delete(open, r.ID)
	l.found = append(l.found, e)
	l.seen.sights.Add(sightKey{l.who.id, strings.ToLower(r.FullName)}, sight{id: r.ID, write: r.Permissions.Push, at: l.now()})
}

// eachOf looks at repositories one by one.
func (l *lister) eachOf(ctx context.Context, open map[int64]store.Entry) error {
	for id, e := range open {
		if l.left <= 0 {
			l.cut = true
			return nil
		}
		l.left--
		got, err := l.look(ctx, l.who, e.Repo.FullName())
		if err != nil {
			return err
		}
		if got.id == id {
			l.found = append(l.found, e)
		}
	}
	return nil
}

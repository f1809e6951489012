package dashboard

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/server/store"
)

// mostListed bounds one list. Who has more looks for a part of a name.
const mostListed = 500

// maxQuery bounds what is looked for, in characters of the address.
const maxQuery = 100

// listPage is the list of repositories: those that need somebody first, then those where
// something goes on.
type listPage struct {
	Query             string
	Needs, Busy, Rest []summary
	Shown, Found      int
	Cut               bool // GitHub was not asked for all
}

// repositories is the first page.
func (v *visit) repositories() error {
	query := strings.TrimSpace(v.r.URL.Query().Get("q"))
	if len(query) > maxQuery {
		query = ""
	}
	seen, err := v.list(v.r.Context(), v.who)
	if err != nil {
		return err
	}
	entries := slices.DeleteFunc(slices.Clone(seen.entries), func(e store.Entry) bool {
		return !strings.Contains(strings.ToLower(e.Repo.FullName()), strings.ToLower(query))
	})
	slices.SortFunc(entries, func(a, b store.Entry) int {
		return cmp.Compare(strings.ToLower(a.Repo.FullName()), strings.ToLower(b.Repo.FullName()))
	})
	page := listPage{Query: query, Found: len(entries), Cut: seen.cut}
	sums, err := v.summarize(v.r.Context(), entries[:min(len(entries), mostListed)])
	if err != nil {
		return err
	}
	page.Shown = len(sums)
	for _, s := range sums {
		switch {
		case len(s.Needs) > 0 || s.Unread:
			page.Needs = append(page.Needs, s)
		case s.Running+s.Waiting+s.Queued > 0:
			page.Busy = append(page.Busy, s)
		default:
			page.Rest = append(page.Rest, s)
		}
	}
	return v.page("repositories", "Repositories", page)
}

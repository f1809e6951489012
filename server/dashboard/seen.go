package dashboard

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

const (
	// believedFor is how long an answer counts about what somebody may see, a no as well
	// as a yes. After that GitHub is asked again, conditionally.
	believedFor = 2 * time.Minute
	// rememberedSights and rememberedLists bound what is kept of such answers.
	rememberedSights = 20_000
	rememberedLists  = 1_000
)

// sight is what GitHub said of one repository to one person.
type sight struct {
	id    int64 // of the repository; 0: it does not exist for the person
	write bool  // they may push
	etag  string
	at    time.Time
}

// sightKey is by session, so that a new sign-in asks anew.
type sightKey struct{ session, name string }

// seen remembers what people may see.
type seen struct {
	sights *lru.Cache[sightKey, sight]
	lists  *lru.Cache[string, listing]
}

func newSeen() seen {
	sights, err := lru.New[sightKey, sight](rememberedSights)
	if err != nil {
		panic(err) // the size is a constant
	}
	lists, err := lru.New[string, listing](rememberedLists)
	if err != nil {
		panic(err)
	}
	return seen{sights, lists}
}

// forget drops what is remembered of a session that ends. Sights are found no more
// without its ID, and go as others come.
func (s seen) forget(id string) { s.lists.Remove(id) }

// repoAnswer is what is read of a repository in GitHub's answers.
type repoAnswer struct {
	ID          int64  `json:"id"`
	FullName    string `json:"full_name"`
	Permissions struct {
		Push bool `json:"push"`
	} `json:"permissions"`
}

// look asks whether the person sees the repository called name, "owner/repo".
func (d *Dashboard) look(ctx context.Context, who *session, name string) (sight, error) {
	key := sightKey{who.id, strings.ToLower(name)}
	known, is := d.seen.sights.Get(key)
	if is && d.now().Sub(known.at) < believedFor {
		return known, nil
	}
	owner, repo, _ := strings.Cut(name, "/")
	var in repoAnswer
	got, err := d.github.get(ctx, who.Token, "repos/"+url.PathEscape(owner)+"/"+url.PathEscape(repo), known.etag, &in)
	if err != nil {
		return sight{}, err
	}
	now := sight{at: d.now(), etag: got.etag}
	switch got.status {
	case http.StatusOK:
		now.id, now.write = in.ID, in.Permissions.Push
	case http.StatusNotModified:
		now.id, now.write, now.etag = known.id, known.write, known.etag
	case http.StatusNotFound, http.StatusForbidden, http.StatusUnavailableForLegalReasons:
		now.etag = "" // not there, or behind a single sign-on that the person has not passed
	default:
		return sight{}, errors.New("GitHub gave an answer about a repository that is not understood")
	}
	d.seen.sights.Add(key, now)
	return now, nil
}

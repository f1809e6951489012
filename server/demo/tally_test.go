package demo

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// Requests that name no promotion go to the one that was named last or, when
// none was since a person did something, to the next.
func TestTallyOfNamelessRequests(t *testing.T) {
	sim, err := ghsim.New(ghsim.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	const first, second = "dev.01jd0000000000000000000000.1234567", "prod.01jd0000000000000000000001.1234567"
	named := func(name string) string { return `{"external_id":"` + name + `"}` }
	fetch := ghsim.Request{Method: "POST", Route: "POST /{owner}/{repo}/git-upload-pack", Path: "/a/b.git/git-upload-pack", Status: 200, Installation: 1}
	issue := ghsim.Request{Method: "PATCH", Path: "/repos/a/b/issues/2", Status: 200, Installation: 1, Counted: true}
	check := ghsim.Request{Method: "POST", Path: "/repos/a/b/check-runs", Status: 201, Installation: 1, Counted: true}
	free := ghsim.Request{Method: "GET", Path: "/repos/a/b/pulls/3", Status: 304, Installation: 1}

	tally := newTally(sim, ghsim.Repo{})
	tally.count(fetch, nil) // before anything was named: the first one's
	tally.count(check, []byte(named(first)))
	tally.count(issue, nil)                        // the first one's
	tally.count(ghsim.Request{Method: "PUT"}, nil) // a person's: nobody's
	tally.act()
	tally.count(fetch, nil) // after a person acted: the second one's
	tally.count(free, nil)
	tally.count(check, []byte(named(second)))
	tally.count(issue, nil)
	tally.count(issue, nil)
	tally.act()
	tally.count(issue, nil) // nothing is named any more: the last one's
	want := map[string]ghsim.Counts{
		first:  {Writes: 2, Fetches: 1},
		second: {Writes: 4, NotModified: 1, Fetches: 1},
	}
	if diff := cmp.Diff(want, tally.counts()); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

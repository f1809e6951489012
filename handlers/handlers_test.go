package handlers_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/handlers"
	"github.com/stagecoach-app/stagecoach/promotion"
)

var us = handlers.Translator{AppID: 25811, BotLogin: "stagecoach[bot]"}

// webhooks is the folder of recorded payloads, beside the repository.
func webhooks(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		found := filepath.Join(dir, "shared", "github", "webhooks")
		if _, err := os.Stat(found); err == nil {
			return found
		}
	}
	t.Skip("the recorded payloads are kept beside the repository (shared/github/webhooks) and are not here")
	return ""
}

func recorded(t testing.TB, name string) []byte {
	t.Helper()
	payload, err := os.ReadFile(filepath.Join(webhooks(t), name))
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

// eventOf is the event that a recorded payload belongs to.
func eventOf(file string) string {
	event, _, _ := strings.Cut(filepath.Base(file), ".")
	return event
}

// with sets a member of a payload, named by its path.
func with(t testing.TB, payload []byte, value any, path ...string) []byte {
	t.Helper()
	var root map[string]any
	d := json.NewDecoder(bytes.NewReader(payload))
	d.UseNumber()
	if err := d.Decode(&root); err != nil {
		t.Fatal(err)
	}
	at := root
	for _, step := range path[:len(path)-1] {
		next, ok := at[step].(map[string]any)
		if !ok {
			next = map[string]any{}
			at[step] = next
		}
		at = next
	}
	at[path[len(path)-1]] = value
	out, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func translate(t testing.TB, event string, payload []byte) []promotion.Event {
	t.Helper()
	events, err := us.Translate(event, "guid-1", payload)
	if err != nil {
		t.Fatalf("translate %s: %v", event, err)
	}
	return events
}

// hello is the repository of most recorded payloads.
var hello = promotion.Repo{ID: 186853002, Owner: "Codertocat", Name: "Hello-World", DefaultBranch: "master"}

func helloOf(installation int64) promotion.Repo {
	r := hello
	r.Installation = installation
	return r
}

func instant(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return at.UTC()
}

// sparse is a repository as installation events name it.
func sparse(id, installation int64, owner, name string) promotion.Repo {
	return promotion.Repo{ID: id, Owner: owner, Name: name, Installation: installation}
}

func pullRequest(action string) promotion.PullRequestChanged {
	return promotion.PullRequestChanged{
		Number: 2, Action: action, HeadBranch: "changes", HeadSHA: "ec26c3e57ca3a959ca5aad62de7213c562f8c821",
		Base: "master", SameRepo: true, By: "Codertocat",
	}
}

// octocoders is the repository of the recorded renames and transfers.
func octocoders(installation int64) promotion.Repo {
	return promotion.Repo{
		ID: 186853261, Owner: "Octocoders", Name: "Hello-World", DefaultBranch: "master",
		Installation: installation, Idle: "fork", NoIssues: true,
	}
}

// linter is the recorded check run of another App.
func linter(conclusion string) promotion.CheckChanged {
	return promotion.CheckChanged{
		SHA: "ec26c3e57ca3a959ca5aad62de7213c562f8c821", Name: "Octocoders-linter", App: 29310, ID: 128620228,
		Conclusion: conclusion, At: instant("2019-05-15T15:21:12Z"), URL: "https://github.com/Codertocat/Hello-World/runs/128620228",
	}
}

var defaultStatus = promotion.CheckChanged{
	SHA: "6113728f27ae82c7b1a177c8d03f9e96e0adf246", Name: "default", ID: 6805126730, Conclusion: "success", At: instant("2019-05-15T15:20:55Z"),
}

// recordings says what each recorded payload means. One that is not named
// here means nothing to us.
var recordings = map[string]promotion.Event{
	"check_run.completed.json": {Repo: hello, At: instant("2019-05-15T15:21:12Z"), Body: linter("success")},
	"check_run.created.json":   {Repo: hello, At: instant("2019-05-15T15:21:12Z"), Body: linter("")},
	"check_run.rerequested.json": {
		Repo: promotion.Repo{ID: 526, Owner: "github", Name: "hello-world", DefaultBranch: "master", Installation: 1},
		At:   instant("2018-05-04T01:14:52Z"),
		Body: promotion.CheckChanged{
			SHA: "d6fde92930d4715a2b49857d24b940956b26d2d3", Name: "randscape", App: 2, ID: 4, At: instant("2018-05-04T01:14:52Z"),
			URL: "http://github.com/github/hello-world/runs/4",
		},
	},
	"installation.created.json": {
		Repo: sparse(186853002, 957387, "Codertocat", "Hello-World"), At: instant("2019-05-15T15:19:51Z"), Body: promotion.TakenUp{},
	},
	"installation.deleted.json": {
		Repo: sparse(1296269, 2, "octocat", "Hello-World"), At: instant("2018-04-30T17:38:19Z"),
		Body: promotion.LetGo{Reason: "the app was uninstalled by octocat"},
	},
	"installation.suspend.json": {
		Repo: sparse(0, 16598467, "", ""), At: instant("2021-04-29T02:32:50Z"),
		Body: promotion.LetGo{Reason: "the installation was suspended by Codertocat"},
	},
	"installation_repositories.added.json": {
		Repo: sparse(186853007, 957387, "Codertocat", "Space"), At: instant("2019-05-15T15:19:51Z"), Body: promotion.TakenUp{},
	},
	"installation_repositories.removed.json": {
		Repo: sparse(1296269, 2, "octocat", "Hello-World"), At: instant("2018-04-30T17:38:19Z"),
		Body: promotion.LetGo{Reason: "the repository was taken out of the installation by octocat"},
	},
	"issues.edited.json": {
		Repo: hello, At: instant("2019-05-15T15:20:18Z"),
		Body: promotion.LedgerTouched{Number: 1, Action: "edited", By: "Codertocat"},
	},
	"pull_request.closed.json":      {Repo: helloOf(1), At: instant("2019-05-15T15:21:18Z"), Body: pullRequest("closed")},
	"pull_request.opened.json":      {Repo: helloOf(1), At: instant("2019-05-15T15:20:33Z"), Body: pullRequest("opened")},
	"pull_request.reopened.json":    {Repo: helloOf(1), At: instant("2019-05-15T15:20:33Z"), Body: pullRequest("reopened")},
	"pull_request.synchronize.json": {Repo: helloOf(1), At: instant("2019-05-15T15:20:33Z"), Body: pullRequest("synchronize")},
	"pull_request.opened.no-installation.json": {
		Repo: hello, At: instant("2019-05-15T15:20:33Z"), Body: pullRequest("opened"),
	},
	"push.no-installation.json": {Repo: helloOf(0), At: instant("2019-05-15T15:20:57Z"), Body: promotion.Moved{Watch: "tags:codertocat/hello-world"}},
	"push.tag-deleted.json":     {Repo: helloOf(1), At: instant("2019-05-15T15:20:57Z"), Body: promotion.Moved{Watch: "tags:codertocat/hello-world"}},
	"release.published.json":    {Repo: helloOf(0), Body: promotion.Moved{Watch: "release:codertocat/hello-world"}},
	"push.json": {Repo: helloOf(1), At: instant("2019-05-15T15:20:57Z"), Body: promotion.Pushed{
		Branch: "master", Before: "0000000000000000000000000000000000000000", After: "6113728f27ae82c7b1a177c8d03f9e96e0adf246",
		Pusher: "Codertocat", Commits: []promotion.PushedCommit{{
			SHA: "6113728f27ae82c7b1a177c8d03f9e96e0adf246", Message: "Initial commit", Author: "Codertocat", Paths: []string{"README.md"},
		}},
	}},
	"status.json":                 {Repo: helloOf(1), At: instant("2019-05-15T15:20:55Z"), Body: defaultStatus},
	"status.no-installation.json": {Repo: hello, At: instant("2019-05-15T15:20:55Z"), Body: defaultStatus},
	"repository.renamed.json":     {Repo: octocoders(1), At: instant("2019-05-15T15:20:41Z"), Body: promotion.Renamed{}},
	"repository.transferred.json": {Repo: octocoders(1), At: instant("2019-05-15T15:20:41Z"), Body: promotion.Renamed{}},
	"repository.transferred.no-installation.json": {
		Repo: octocoders(0), At: instant("2019-05-15T15:20:41Z"), Body: promotion.Renamed{},
	},
}

func TestRecordedPayloads(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(webhooks(t), "*.json"))
	if err != nil || len(files) < 30 {
		t.Fatalf("found %d payloads: %v", len(files), err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			var want []promotion.Event
			if e, ok := recordings[name]; ok {
				e.Cause = "guid-1"
				want = append(want, e)
			}
			if diff := cmp.Diff(want, translate(t, eventOf(file), recorded(t, name))); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

// Of events that we handle, what is cut off or empty is malformed, never a guess.
func TestMalformedPayloads(t *testing.T) {
	for _, event := range append(handlers.Events(), "stagecoach.wake") {
		bad := []string{"", "{", "null", "[]", "{}", `"x"`, `{"action":7}`, `{"action":"created"} {}`}
		files, _ := filepath.Glob(filepath.Join(webhooks(t), event+".*"))
		for _, file := range files {
			payload := string(recorded(t, filepath.Base(file)))
			bad = append(bad, payload[:len(payload)/2], strings.TrimRight(payload, "}\n"))
		}
		for _, payload := range bad {
			if events, err := us.Translate(event, "guid-1", []byte(payload)); err == nil {
				t.Errorf("%s of %.40q… gave %v and no error", event, payload, events)
			} else if !strings.Contains(err.Error(), "guid-1") || !strings.Contains(err.Error(), event) {
				t.Errorf("the error does not say which delivery it was: %v", err)
			}
		}
	}
}

func TestUnhandledEventsMeanNothing(t *testing.T) {
	for _, event := range []string{"ping", "star", "", "stagecoach.", "stagecoach.other"} {
		if events := translate(t, event, []byte("not JSON")); events != nil {
			t.Errorf("%q gave %v", event, events)
		}
	}
}

func TestInternalDeliveries(t *testing.T) {
	repo := promotion.Repo{ID: 7, Owner: "acme", Name: "gitops", DefaultBranch: "main", Installation: 3, Private: true}
	for name, body := range map[string]promotion.EventBody{
		handlers.Wake: promotion.Woke{}, handlers.Look: promotion.TakenUp{}, handlers.Unblock: promotion.Unblocked{},
	} {
		event, payload := handlers.Internal(name, repo)
		want := []promotion.Event{{Repo: repo, Cause: "guid-1", Body: body}}
		if diff := cmp.Diff(want, translate(t, event, payload)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if key, err := handlers.Key(event, payload); key != "r7" || err != nil {
			t.Errorf("key of %s is %q, %v", name, key, err)
		}
	}
}

func TestInternalLetGoSaysWhy(t *testing.T) {
	event, payload := handlers.Internal(handlers.LetGo, promotion.Repo{ID: 7, Idle: "the app was uninstalled"})
	events := translate(t, event, payload)
	if len(events) != 1 || events[0].Body != (promotion.LetGo{Reason: "the app was uninstalled"}) {
		t.Errorf("got %+v", events)
	}
}

func TestKey(t *testing.T) {
	for event, c := range map[string]struct{ payload, want string }{
		"push":                      {`{"repository":{"id":12},"installation":{"id":3}}`, "r12"},
		"issue_comment":             {`{"repository":{"id":12}}`, "r12"},
		"installation":              {`{"installation":{"id":3},"repositories":[{"id":12}]}`, "i3"},
		"installation_repositories": {`{"installation":{"id":3}}`, "i3"},
	} {
		if got, err := handlers.Key(event, []byte(c.payload)); got != c.want || err != nil {
			t.Errorf("key of %s is %q, %v; want %q", event, got, err, c.want)
		}
		for _, bad := range []string{"", "{}", "{", `{"repository":null,"installation":7}`} {
			if got, err := handlers.Key(event, []byte(bad)); err == nil {
				t.Errorf("key of %s %q is %q and no error", event, bad, got)
			}
		}
	}
}

func TestTheHookHandlesNothingItself(t *testing.T) {
	if diff := cmp.Diff(handlers.Events(), handlers.Hook{}.Handles()); diff != "" {
		t.Error(diff)
	}
	if err := (handlers.Hook{}).Handle(t.Context(), "push", "guid-1", nil); err == nil {
		t.Error("Handle claims to have done the work")
	}
}

func FuzzTranslate(f *testing.F) {
	f.Add("push", []byte(`{"ref":"refs/heads/main","after":"a","repository":{"id":1,"full_name":"a/b"}}`))
	f.Add("installation", []byte(`{"action":"created","installation":{"id":1},"repositories":[null]}`))
	f.Add("issue_comment", []byte(`{"action":"created","comment":{"id":1,"body":"/help","user":{"id":1,"type":"User"}},"sender":{"id":1,"type":"User"},"issue":{"number":1},"repository":{"id":1}}`))
	f.Add("check_run", []byte(`{"action":"completed","check_run":{"id":1,"head_sha":"a","completed_at":"2018-04-25 20:42:10"},"repository":{"id":1}}`))
	f.Add("status", []byte(`{"id":1,"sha":"a","context":"e2e","state":"pending","created_at":7,"repository":{"id":1}}`))
	f.Add("pull_request_review", []byte(`{"action":"dismissed","review":{"id":1,"user":null},"pull_request":{"number":1,"head":{"repo":null}},"repository":{"id":1}}`))
	f.Fuzz(func(t *testing.T, event string, payload []byte) {
		events, err := us.Translate(event, "guid-1", payload)
		if err != nil && events != nil {
			t.Error("both events and an error")
		}
		for _, e := range events {
			if e.Cause != "guid-1" || e.Body == nil || e.Repo.ID == 0 && e.Repo.Installation == 0 {
				t.Errorf("event %+v says too little", e)
			}
		}
	})
}

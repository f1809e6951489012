package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// idle is a world with a server that nobody has installed yet.
func idle(t *testing.T) *servertest.World {
	t.Helper()
	w := servertest.New(t, servertest.Files())
	w.StartServer()
	return w
}

func TestDeliveriesThatAreRefusedOrIgnored(t *testing.T) {
	t.Parallel()
	w := idle(t)
	push := fmt.Sprintf(`{"ref":"refs/heads/main","after":"%040d","repository":{"id":%d,"name":"gitops","full_name":"acme/gitops"}}`, 1, w.Repo.ID)
	for _, c := range []struct {
		name, secret, event, payload string
		want                         int
		says                         string
	}{
		{"wrong signature", "another secret", "push", push, http.StatusBadRequest, "webhook secret"},
		{"no signature", "", "push", push, http.StatusBadRequest, "webhook secret"},
		{"unknown event", servertest.Secret, "marketplace_purchase", `{"action":"purchased"}`, http.StatusAccepted, ""},
		{"ping", servertest.Secret, "ping", `{"zen":"Keep it logically awesome."}`, http.StatusOK, ""},
		{"too large", servertest.Secret, "push", push + strings.Repeat(" ", 27<<20), http.StatusRequestEntityTooLarge, "larger than GitHub sends"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, answer := w.Post(c.secret, c.event, []byte(c.payload))
			if status != c.want || !strings.Contains(answer, c.says) {
				t.Errorf("answered %d %q, want %d and %q", status, answer, c.want, c.says)
			}
			if shown := w.Events(); shown.Stats.Waiting+shown.Stats.InFlight+shown.Stats.Retrying+len(shown.Aside) != 0 {
				t.Errorf("something was queued: %+v", shown)
			}
		})
	}
	w.Settle()
	if asked := w.Since(0); len(asked) > 0 {
		t.Errorf("GitHub was asked\n%s", servertest.List(asked))
	}
}

func TestMalformedPayloadsAreSetAsideAndShown(t *testing.T) {
	t.Parallel()
	w := opened(t)
	w.Settle()
	for _, c := range []struct{ name, event, payload, reason string }{
		{"no JSON", "push", `{"ref":`, "cannot be read"},
		{"no repository", "push", `{"ref":"refs/heads/main"}`, "names no repository"},
		{"no comment", "issue_comment", fmt.Sprintf(`{"action":"created","repository":{"id":%d}}`, w.Repo.ID), "names no comment"},
		{"another type", "pull_request", fmt.Sprintf(`{"action":"opened","pull_request":{"number":"one"},"repository":{"id":%d}}`, w.Repo.ID), "pull_request.number"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := len(w.Events().Aside)
			status, answer := w.Post(servertest.Secret, c.event, []byte(c.payload))
			if status/100 != 2 {
				t.Fatalf("answered %d: %s", status, answer)
			}
			w.Until("it is set aside", func() bool { return len(w.Events().Aside) == before+1 })
			e := w.Events().Aside[0]
			if e.Type != c.event || !strings.Contains(e.Reason, c.reason) || e.Size != len(c.payload) {
				t.Errorf("shown as %+v, want the reason %q", e, c.reason)
			}
		})
	}
	w.Settle()
	if len(w.Open()) != 1 {
		t.Errorf("what ran was disturbed\n%s", w.Sketch())
	}
}

// The server says what is wrong with its settings and does not start.
func TestWithoutAWebhookSecretTheBinaryRefusesToStart(t *testing.T) {
	w := servertest.New(t, servertest.Files())
	w.Vars = map[string]string{"GITHUB_APP_WEBHOOK_SECRET": ""}
	code, said := w.RunProcess("serve")
	if code != 1 || !strings.Contains(said, "GITHUB_APP_WEBHOOK_SECRET") {
		t.Errorf("exit code %d, %q; want 1 and the variable's name", code, said)
	}
}

func TestARepositoryWithoutAPipelineCostsOneLook(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, map[string]string{"README.md": "# nothing here\n"})
	w.StartServer()
	w.Until("it knows who it is", func() bool { return len(w.Sim.Requests()) >= 2 })
	w.Settle() // the look of the start is over
	w.InstallApp()
	w.Until("it was looked at", func() bool { return len(w.Since(0)) > 0 })
	w.Settle()
	looked := w.Since(0)
	gits := 0
	for _, r := range looked {
		if r.Counted && r.Route != "GET /installation/repositories" {
			t.Errorf("a counted request: %s %s", r.Method, r.Path)
		}
		if strings.HasSuffix(r.Path, "/info/refs") {
			gits++
		}
	}
	if gits != 1 {
		t.Errorf("%d looks over git, want 1\n%s", gits, servertest.List(looked))
	}
	mark, octocat := w.Sim.Mark(), w.Sim.As("octocat")
	_, err := octocat.Commit(w.Repo, "main", map[string]string{"README.md": "# still nothing\n"}, "Say more")
	if err == nil {
		_, err = octocat.Commit(w.Repo, "topic", map[string]string{"README.md": "# on a branch\n"}, "Say more elsewhere")
	}
	var number int
	if err == nil {
		number, err = octocat.CreatePR(w.Repo, "topic", "main", "Say more", "")
	}
	if err == nil {
		_, err = octocat.Comment(w.Repo, number, "/promote prod")
	}
	if err == nil {
		_, err = octocat.Merge(w.Repo, number, "merge")
	}
	if err != nil {
		t.Fatal(err)
	}
	w.Settle()
	if cost := w.Since(mark); len(cost) > 0 {
		t.Errorf("later events cost\n%s", servertest.List(cost))
	}
	if issues := w.Sim.Issues(w.Repo); len(issues) > 0 {
		t.Errorf("issues were made: %+v", issues)
	}
	if _, err := octocat.Commit(w.Repo, "main", servertest.Files(), "Begin to promote"); err != nil {
		t.Fatal(err)
	}
	w.Until("the pipeline that came is taken up", func() bool { return len(w.Open()) == 1 })
}

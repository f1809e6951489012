package ghsim_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

func TestCheckRunLimits(t *testing.T) {
	w := newWorld(t)
	token, sha := w.token(), w.Branches(w.repo)["main"]
	x := func(n int) string { return strings.Repeat("é", n) }
	action := func(label, description, identifier int) map[string]any {
		return map[string]any{"label": x(label), "description": x(description), "identifier": x(identifier)}
	}
	actions := func(all ...map[string]any) map[string]any { return map[string]any{"actions": all} }
	output := func(summary, text string) map[string]any {
		return map[string]any{"output": map[string]any{"title": "t", "summary": summary, "text": text}}
	}
	full := action(20, 40, 20)
	for _, c := range []struct {
		name string
		in   map[string]any
		want int
	}{
		{"plain", nil, 201},
		{"three full actions", actions(full, full, full), 201},
		{"four actions", actions(full, full, full, full), 422},
		{"long label", actions(action(21, 40, 20)), 422},
		{"long description", actions(action(20, 41, 20)), 422},
		{"long identifier", actions(action(20, 40, 21)), 422},
		{"empty label", actions(action(0, 40, 20)), 422},
		{"longest summary", output(x(65535), x(65535)), 201},
		{"long summary", output(x(65536), ""), 422},
		{"long text", output("s", x(65536)), 422},
		{"no summary", output("", ""), 422},
		{"unknown commit", map[string]any{"head_sha": strings.Repeat("1", 40)}, 422},
		{"branch instead of a commit", map[string]any{"head_sha": "main"}, 422},
		{"no name", map[string]any{"name": ""}, 422},
		{"unknown status", map[string]any{"status": "done"}, 422},
		{"completed without conclusion", map[string]any{"status": "completed"}, 422},
		{"stale is GitHub's own", map[string]any{"conclusion": "stale"}, 422},
		{"conclusion", map[string]any{"conclusion": "neutral"}, 201},
		{"51 annotations", map[string]any{"output": map[string]any{"title": "t", "summary": "s", "annotations": slices.Repeat([]any{map[string]any{
			"path": "a", "start_line": 1, "end_line": 1, "annotation_level": "failure", "message": "m"}}, 51)}}, 422},
		{"annotation without path", map[string]any{"output": map[string]any{"title": "t", "summary": "s", "annotations": []any{map[string]any{"start_line": 1}}}}, 422},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := map[string]any{"name": "stagecoach/dev", "head_sha": sha}
			for k, v := range c.in {
				in[k] = v
			}
			raw, err := json.Marshal(in)
			must(t, err)
			if got, _, body := w.send("POST", gitopsPath+"/check-runs", token, string(raw)); got != c.want {
				t.Errorf("%d %v, want %d", got, body["errors"], c.want)
			}
		})
	}
}

func TestCheckRunLife(t *testing.T) {
	w, ctx, checks := newWorld(t), context.Background(), (*github.ChecksService)(nil)
	checks = w.rest.Checks
	main := w.Branches(w.repo)["main"]
	run, _, err := checks.CreateCheckRun(ctx, "acme", "gitops", github.CreateCheckRunOptions{
		Name: "stagecoach/dev", HeadSHA: main, ExternalID: github.String("dev.1"), Status: github.String("in_progress"),
		Actions: []*github.CheckRunAction{{Label: "Approve", Description: "d", Identifier: "approve"}},
	})
	must(t, err)
	octocat, id := w.As("octocat"), run.GetID()
	if err := octocat.PressButton(w.repo, id, "approve"); err == nil {
		t.Error("pressed a button before the run was completed")
	}
	done, _, err := checks.UpdateCheckRun(ctx, "acme", "gitops", id, github.UpdateCheckRunOptions{Name: "stagecoach/dev", Conclusion: github.String("action_required")})
	must(t, err)
	if done.GetStatus() != "completed" || done.GetExternalID() != "dev.1" || done.GetCompletedAt().IsZero() || done.GetCheckSuite().GetID() == 0 {
		t.Errorf("%+v", done)
	}
	w.take()
	must(t, octocat.PressButton(w.repo, id, "approve"))
	if err := octocat.PressButton(w.repo, id, "abort"); err == nil {
		t.Error("pressed a button that is not there")
	}
	must(t, w.SetPermission(w.repo, "hubot", "triage"))
	if err := w.As("hubot").PressButton(w.repo, id, "approve"); err == nil {
		t.Error("pressed a button without write access")
	}
	got := w.take()
	if len(got) != 1 || got[0].event() != "check_run" {
		t.Fatalf("%d events", len(got))
	}
	e, err := github.ParseWebHook("check_run", got[0].body)
	must(t, err)
	press := e.(*github.CheckRunEvent)
	if press.GetAction() != "requested_action" || press.GetRequestedAction().Identifier != "approve" || press.GetSender().GetLogin() != "octocat" ||
		press.GetCheckRun().GetExternalID() != "dev.1" || press.GetInstallation().GetID() != w.inst {
		t.Errorf("%s", got[0].body)
	}
	again, _, err := checks.UpdateCheckRun(ctx, "acme", "gitops", id, github.UpdateCheckRunOptions{Name: "stagecoach/dev", Status: github.String("in_progress")})
	must(t, err)
	if again.GetStatus() != "in_progress" || again.Conclusion != nil || again.CompletedAt != nil {
		t.Errorf("reopened: %+v", again)
	}
}

func TestListCheckRuns(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	for _, name := range []string{"a", "a", "b"} {
		_, _, err := w.rest.Checks.CreateCheckRun(ctx, "acme", "gitops", github.CreateCheckRunOptions{Name: name, HeadSHA: w.Branches(w.repo)["main"]})
		must(t, err)
	}
	_, err := w.As("octocat").Commit(w.repo, "team/next", map[string]string{"x": "y"}, "Next")
	must(t, err)
	all, none := "all", int64(1)
	for name, c := range map[string]struct {
		ref  string
		opts github.ListCheckRunsOptions
		want string
	}{
		"newest of each name":   {"main", github.ListCheckRunsOptions{}, "b a"},
		"all":                   {"main", github.ListCheckRunsOptions{Filter: &all}, "b a a"},
		"one name":              {"main", github.ListCheckRunsOptions{Filter: &all, CheckName: github.String("a")}, "a a"},
		"our own":               {w.Branches(w.repo)["main"], github.ListCheckRunsOptions{AppID: &w.app.ID}, "b a"},
		"of another app":        {"main", github.ListCheckRunsOptions{AppID: &none}, ""},
		"branch with a slash":   {"team/next", github.ListCheckRunsOptions{}, ""},
		"branch as part of ref": {"heads/main", github.ListCheckRunsOptions{}, "b a"},
	} {
		got, _, err := w.rest.Checks.ListCheckRunsForRef(ctx, "acme", "gitops", c.ref, &c.opts)
		must(t, err)
		var names []string
		for _, run := range got.CheckRuns {
			names = append(names, run.GetName())
		}
		if strings.Join(names, " ") != c.want || got.GetTotal() != len(names) {
			t.Errorf("%s: %v of %d, want %s", name, names, got.GetTotal(), c.want)
		}
	}
}

// Another App hears of our runs, but can neither change them nor hear of their buttons.
func TestCheckRunsBelongToTheirApp(t *testing.T) {
	w, ctx := newWorld(t), context.Background()
	key, err := sharedKey()
	must(t, err)
	other := *w
	other.app, err = w.RegisterApp(ghsim.App{Slug: "ci", PrivateKey: key, Permissions: map[string]string{"checks": "write"}})
	must(t, err)
	other.inst, err = w.Install(other.app.ID, "acme", w.repo)
	must(t, err)
	other.rest, other.jwt = other.clients(other.inst)
	run, _, err := w.rest.Checks.CreateCheckRun(ctx, "acme", "gitops", github.CreateCheckRunOptions{Name: "a", HeadSHA: w.Branches(w.repo)["main"]})
	must(t, err)
	_, _, err = other.rest.Checks.UpdateCheckRun(ctx, "acme", "gitops", run.GetID(), github.UpdateCheckRunOptions{Name: "a", Conclusion: github.String("success")})
	if status(err) != 403 || !strings.Contains(err.Error(), fmt.Sprintf("Invalid app_id `%d`", other.app.ID)) {
		t.Errorf("another app's update: %v", err)
	}
}

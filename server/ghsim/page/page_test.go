package page_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

func TestEveryPageAnswers(t *testing.T) {
	w := newWorld(t)
	issue := w.issue("Promotions "+nasty, "Nothing waits for anybody. "+nasty)
	number := w.pull()
	head := w.Branches(w.repo)["change/one"]
	run := w.check(head, "stagecoach/dev", "action_required", "Waiting "+nasty, "| a | b |\n| --- | --- |\n| c | "+nasty+" |")
	_, err := w.As("monalisa").Comment(w.repo, number, nasty)
	must(t, err)
	for path, wants := range map[string][]string{
		"/":                            {"acme/gitops", "1 open issue", "1 open pull request", "you: write"},
		"/acme":                        {"acme/gitops"},
		"/octocat":                     {"No repositories"},
		"/apps/stagecoach":             {"GitHub App"},
		"/acme/gitops":                 {"README.md", "envs", "Initial commit", `<h1>GitOps</h1>`, `href="/acme/gitops/blob/main/envs/dev/app.yaml"`},
		"/acme/gitops/tree/main/envs":  {"dev", "&lt;b&gt;.txt"},
		"/acme/gitops/tree/change/one": {"Use web 1.4.2", "change/one"},
		"/acme/gitops/tree/" + w.first: {"README.md"},
		"/acme/gitops/blob/HEAD/envs/dev/app.yaml":              {`id="L2"`, "replicas: 2"},
		"/acme/gitops/blob/change/one/envs/dev/app.yaml":        {"web:1.4.2"},
		"/acme/gitops/blob/main/envs/%3Cb%3E.txt":               {"&lt;script&gt;"},
		"/acme/gitops/blob/main/envs/dev/bin.dat":               {"no text"},
		"/acme/gitops/blob/main/README.md":                      {`<h1>GitOps</h1>`, "plain=1"},
		"/acme/gitops/blob/main/README.md?plain=1":              {"# GitOps"},
		"/acme/gitops/edit/main/envs/dev/app.yaml":              {"replicas: 2", "octocat-patch-1"},
		"/acme/gitops/new/main/envs":                            {`value="envs/"`},
		"/acme/gitops/branches":                                 {"change/one", "default"},
		"/acme/gitops/commits":                                  {"Initial commit"},
		"/acme/gitops/commits/change/one":                       {"Use web 1.4.2", "0 of 1 check passed"},
		"/acme/gitops/commits/main/envs/dev":                    {"Initial commit"},
		"/acme/gitops/commit/" + head:                           {"web:1.4.2", "web:1.4.1", "stagecoach/dev", "Abort"},
		"/acme/gitops/commit/" + w.first[:7]:                    {"Initial commit", "added"},
		"/acme/gitops/compare/main...change/one":                {"1 commit", "web:1.4.2"},
		"/acme/gitops/compare/" + w.first[:7] + ".." + head[:7]: {"web:1.4.2"},
		"/acme/gitops/issues":                                   {"Promotions", "stagecoach", "bot"},
		"/acme/gitops/issues?state=closed":                      {"Nothing is closed"},
		"/acme/gitops/issues/new":                               {"Description"},
		fmt.Sprintf("/acme/gitops/issues/%d", issue):            {"Nothing waits for anybody", "Comment as octocat", "Close issue"},
		"/acme/gitops/pulls":                                    {"Use web 1.4.2", "change/one"},
		"/acme/gitops/pulls?state=closed":                       {"Nothing is closed"},
		fmt.Sprintf("/acme/gitops/pull/%d", number):             {"wants to merge", "No conflicts", "Squash and merge", "stagecoach/dev", "web:1.4.2", w.first[:7]},
		fmt.Sprintf("/acme/gitops/issues/%d", number):           {"wants to merge"},
		fmt.Sprintf("/acme/gitops/pull/%d", issue):              {"Close issue"},
		fmt.Sprintf("/acme/gitops/pull/%d/files", number):       {"wants to merge"},
		fmt.Sprintf("/acme/gitops/runs/%d", run):                {"Waiting", "<table>", "Abort", "action required"},
	} {
		body := w.page(path)
		for _, want := range wants {
			if !strings.Contains(body, want) {
				t.Errorf("GET %s shows no %q:\n%s", path, want, mainOf(body))
			}
		}
	}
}

func TestWhatIsNotThere(t *testing.T) {
	w := newWorld(t)
	hidden, err := w.CreateRepo("acme", "secret", ghsim.RepoOptions{Private: true, Files: map[string]string{"a": "b"}})
	must(t, err)
	must(t, w.SetPermission(hidden, "hubot", "read"))
	for _, path := range []string{
		"/nobody", "/acme/none", "/acme/secret", "/acme/secret/issues", "/acme/gitops/tree/none", "/acme/gitops/blob/main/none", "/acme/gitops/blob/main",
		"/acme/gitops/tree/main/README.md", "/acme/gitops/commit/0000000", "/acme/gitops/compare/main...none", "/acme/gitops/issues/7", "/acme/gitops/issues/x",
		"/acme/gitops/pull/7", "/acme/gitops/runs/1", "/acme/gitops/edit/main/envs/dev/bin.dat", "/acme/gitops/edit/" + w.first + "/README.md", "/favicon.ico",
		"/acme/gitops/commit/--all", "/acme/gitops/commits/--output=x",
	} {
		status, body := w.get(path)
		if status != http.StatusNotFound {
			t.Errorf("GET %s: %d", path, status)
		}
		w.harmless(path, body)
		if strings.HasPrefix(path, "/acme/secret") && strings.Contains(body, `aria-label="Repository"`) {
			t.Errorf("GET %s tells of a repository that the person may not see", path)
		}
	}
	if body := w.page("/"); strings.Contains(body, "acme/secret") {
		t.Error("the first page lists a repository that the person may not see")
	}
}

func TestMovedRepository(t *testing.T) {
	w := newWorld(t)
	_, err := w.RenameRepo(w.repo, "platform")
	must(t, err)
	if body := w.page("/acme/gitops/commits/main"); !strings.Contains(body, "/acme/platform/commit/") {
		t.Error("the former name does not lead to the repository")
	}
}

func TestHeadersHoldTexts(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{"/", "/-/style.css", "/acme/gitops/raw/main/README.md"} {
		answer, err := w.client.Get(w.server.URL + path)
		must(t, err)
		must(t, answer.Body.Close())
		policy := answer.Header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || answer.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("GET %s: policy %q", path, policy)
		}
	}
	if status, body := w.get("/acme/gitops/raw/main/README.md"); status != 200 || body != "# GitOps\n\nSee [dev](envs/dev/app.yaml).\n" {
		t.Errorf("raw: %d %q", status, body)
	}
}

func TestAnnotations(t *testing.T) {
	w := newWorld(t)
	run, _, err := w.bot().Checks.CreateCheckRun(context.Background(), "acme", "gitops", github.CreateCheckRunOptions{
		Name: "stagecoach", HeadSHA: w.first, Conclusion: github.String("failure"), Output: &github.CheckRunOutput{
			Title: github.String("1 error"), Summary: github.String("s"), Annotations: []*github.CheckRunAnnotation{{
				Path: github.String("envs/dev/app.yaml"), StartLine: github.Int(2), EndLine: github.Int(2), AnnotationLevel: github.String("failure"),
				Message: github.String("unknown key " + nasty),
			}},
		},
	})
	must(t, err)
	body := w.page(fmt.Sprintf("/acme/gitops/runs/%d", run.GetID()))
	if want := fmt.Sprintf(`href="/acme/gitops/blob/%s/envs/dev/app.yaml#L2"`, w.first); !strings.Contains(body, want) || !strings.Contains(body, "unknown key &lt;script") {
		t.Errorf("the annotation is shown as\n%s", mainOf(body))
	}
}

// The script looks at a page again and again; what the person has not yet seen must wait for the person.
func TestRenewingLeavesTheNotice(t *testing.T) {
	w := newWorld(t)
	run := w.check(w.first, "stagecoach/dev", "failure", "Errored", "No key.")
	path := fmt.Sprintf("/acme/gitops/runs/%d", run)
	token := csrf.FindStringSubmatch(w.page(path))[1]
	w.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	status, _ := w.read(w.client.PostForm(w.server.URL+path+"/press", map[string][]string{"csrf": {token}, "button": {"abort"}}))
	if status != http.StatusSeeOther {
		t.Fatalf("pressing: %d", status)
	}
	again, err := http.NewRequest(http.MethodGet, w.server.URL+path, nil)
	must(t, err)
	again.Header.Set("X-Renew", "1")
	if _, body := w.read(w.client.Do(again)); strings.Contains(body, "The App was told") {
		t.Error("the script took the notice")
	}
	if !strings.Contains(w.page(path), "The App was told") {
		t.Error("the person never sees the notice")
	}
	if strings.Contains(w.page(path), "The App was told") {
		t.Error("the notice stays")
	}
}

var (
	tag  = regexp.MustCompile(`<(/?)([a-z][a-z0-9]*)([^>]*)>`)
	live = regexp.MustCompile(` data-live="([^"]+)"`)
	void = map[string]bool{"meta": true, "link": true, "input": true, "br": true, "img": true, "hr": true}
)

// Every part that the script renews has a name of its own and holds no text box, which could lose what is typed. The
// pages close what they open, or this walk would not end where it began.
func TestTypedTextStandsOutsideOfWhatIsRenewed(t *testing.T) {
	w := newWorld(t)
	issue, pull := w.issue("Promotions", "- [ ] a\n\n<details>\n\nb"), w.pull()
	run := w.check(w.first, "stagecoach/dev", "success", "Landed", "<div>")
	for path, wants := range map[string][]string{
		fmt.Sprintf("/acme/gitops/issues/%d", issue): {"opening", "events"}, fmt.Sprintf("/acme/gitops/pull/%d", pull): {"opening", "events", "merge", "diff"},
		"/acme/gitops": {"files", "recent"}, "/acme/gitops/commits": {"commits"}, "/acme/gitops/commit/" + w.first: {"checks"},
		fmt.Sprintf("/acme/gitops/runs/%d", run): {"run"}, "/acme/gitops/issues": {"list"}, "/": {"repos"},
	} {
		var open []string // the name of each open element, or "live NAME"
		seen := map[string]bool{}
		for _, m := range tag.FindAllStringSubmatch(w.page(path), -1) {
			switch name := live.FindStringSubmatch(m[3]); {
			case m[1] != "":
				open = open[:len(open)-1]
			case void[m[2]] || strings.HasSuffix(m[3], "/"):
			case name != nil:
				if seen[name[1]] {
					t.Errorf("%s has two parts called %s", path, name[1])
				}
				seen[name[1]] = true
				open = append(open, "live "+name[1])
			default:
				if m[2] == "textarea" && strings.Contains(strings.Join(open, ","), "live ") {
					t.Errorf("%s has a text box in %v", path, open)
				}
				open = append(open, m[2])
			}
		}
		if len(open) != 0 {
			t.Errorf("%s leaves %v open", path, open)
		}
		for _, want := range wants {
			if !seen[want] {
				t.Errorf("%s renews %v, not %s", path, seen, want)
			}
		}
	}
}

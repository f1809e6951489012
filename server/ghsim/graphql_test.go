package ghsim_test

import (
	"strings"
	"testing"
)

func TestGraphQLReads(t *testing.T) {
	w := newWorld(t)
	number := w.pullRequest("next")
	var out struct {
		Viewer struct{ Login string }
		It     struct {
			PullRequest struct {
				Number      int
				Head        string
				IsDraft     bool
				AutoMerge   any `json:"autoMergeRequest"`
				MergeStatus string
			}
		}
	}
	must(t, w.As("octocat").GraphQL(`query Q($owner: String!, $n: Int!) { # a comment
		viewer { login }
		it: repository(owner: $owner, name: "gitops") { ... on Repository { pullRequest(number: $n) { number, head: headRefOid isDraft autoMergeRequest { enabledAt } mergeStatus: mergeStateStatus } } }
	}`, map[string]any{"owner": "acme", "n": number}, &out))
	if out.Viewer.Login != "octocat" || out.It.PullRequest.Number != number || out.It.PullRequest.Head != w.Branches(w.repo)["next"] ||
		out.It.PullRequest.MergeStatus != "UNKNOWN" || out.It.PullRequest.AutoMerge != nil {
		t.Errorf("%+v", out)
	}
}

// What goes wrong is said in a 200.
func TestGraphQLErrors(t *testing.T) {
	w := newWorld(t)
	for query, want := range map[string]string{
		`{ repository(owner: "acme", name: "nothing") { id } }`:               "Could not resolve to a Repository",
		`{ viewer { password } }`:                                             "Field 'password' doesn't exist",
		`mutation { deleteEverything(input: {}) { clientMutationId } }`:       "doesn't exist on type 'Mutation'",
		`mutation { pinIssue(input: {issueId: "I_x"}) { issue { number } } }`: "Could not resolve to a node",
		`query { viewer { login }`:                                            "Parse error",
		`subscription { x }`:                                                  "unknown",
	} {
		status, header, body := w.send("POST", "/api/graphql", w.AddUser("octocat"), `{"query": `+quote(query)+`}`)
		errs, _ := body["errors"].([]any)
		if status != 200 || len(errs) == 0 || header.Get("X-RateLimit-Resource") != "graphql" || !strings.Contains(errs[0].(map[string]any)["message"].(string), want) {
			t.Errorf("%s: %d %v, want %s", query, status, body, want)
		}
	}
	w.SetGraphQL(false)
	if status, _, _ := w.send("POST", "/api/graphql", w.AddUser("octocat"), `{}`); status != 404 {
		t.Errorf("switched off: %d", status)
	}
}

func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}

func TestPins(t *testing.T) {
	w := newWorld(t)
	octocat := w.As("octocat")
	pin := func(n int) error {
		var i struct {
			NodeID string `json:"node_id"`
		}
		must(t, octocat.Do("GET", "/repos/acme/gitops/issues/"+string(rune('0'+n)), nil, &i))
		return octocat.GraphQL(`mutation($id: ID!) { pinIssue(input: {issueId: $id}) { issue { isPinned } } }`, map[string]any{"id": i.NodeID}, nil)
	}
	for n := 1; n <= 4; n++ {
		_, err := octocat.CreateIssue(w.repo, "Issue", "")
		must(t, err)
	}
	for n := 1; n <= 3; n++ {
		must(t, pin(n))
	}
	if err := pin(4); err == nil || !strings.Contains(err.Error(), "Maximum 3 pinned issues") {
		t.Errorf("a fourth pin: %v", err)
	}
	if err := pin(1); err == nil {
		t.Error("pinned twice")
	}
	must(t, w.SetPermission(w.repo, "hubot", "read"))
	octocat = w.As("hubot")
	if err := pin(2); err == nil || !strings.Contains(err.Error(), "not accessible") {
		t.Errorf("a reader pinned: %v", err)
	}
}

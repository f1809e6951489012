package page_test

import (
	"context"
	"net/http"

	"github.com/bradleyfalzon/ghinstallation/v2"
	"github.com/google/go-github/v57/github"
)

// bot is a client of the App, as it is installed.
func (w *world) bot() *github.Client {
	w.t.Helper()
	transport, err := ghinstallation.New(w.client.Transport, w.app.ID, w.inst, []byte(w.app.PrivateKey))
	must(w.t, err)
	transport.BaseURL = w.APIURL()
	c, err := github.NewClient(&http.Client{Transport: transport}).WithEnterpriseURLs(w.server.URL, w.server.URL)
	must(w.t, err)
	return c
}

// issue is one that the App opens.
func (w *world) issue(title, body string) int {
	w.t.Helper()
	i, _, err := w.bot().Issues.Create(context.Background(), "acme", "gitops", &github.IssueRequest{
		Title: &title, Body: &body, Labels: &[]string{"stagecoach"},
	})
	must(w.t, err)
	return i.GetNumber()
}

// check is a completed check run with a button.
func (w *world) check(sha, name, conclusion, title, summary string) int64 {
	w.t.Helper()
	run, _, err := w.bot().Checks.CreateCheckRun(context.Background(), "acme", "gitops", github.CreateCheckRunOptions{
		Name: name, HeadSHA: sha, Conclusion: &conclusion, Output: &github.CheckRunOutput{Title: &title, Summary: &summary},
		Actions: []*github.CheckRunAction{{Label: "Abort", Description: "End this promotion", Identifier: "abort"}},
	})
	must(w.t, err)
	return run.GetID()
}

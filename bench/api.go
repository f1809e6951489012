package main

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

var _ = register("api", apiSuite)

// apiSuite measures a promotion by pull request from outside, over HTTP on loopback:
// what it asks of GitHub, and how long it takes from the webhook to the pull request.
func apiSuite(ctx context.Context, b *bench) ([]row, error) {
	var rows []row
	for _, part := range []func(context.Context, *bench) ([]row, error){requests, latency} {
		more, err := part(ctx, b)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// requests plays the promotion whose table is in docs/api-budget.md: asked for by a
// comment, merged by a person, tidied up.
func requests(ctx context.Context, b *bench) (rows []row, err error) {
	b.say("  what one promotion asks of GitHub")
	err = b.play(ctx, func(tb testing.TB) {
		w := servertest.New(tb, servertest.Files())
		w.StartServer()
		w.InstallApp()
		w.StoryToStaging()
		w.Settle()
		mark := w.Sim.Mark()
		w.AskForProd()
		if _, err := w.Sim.As("octocat").Merge(w.Repo, w.Open()[0].Number, "squash"); err != nil {
			tb.Fatal(err)
		}
		w.Finished()
		w.Settle()
		rows = requestRows(w.Since(mark))
	})
	return rows, err
}

// requestRows are the audit, line by line, and its sums beside their budgets.
func requestRows(all []ghsim.Request) []row {
	var rows []row
	audit := servertest.Audit(all)
	for _, l := range servertest.AuditLines(audit) {
		rows = append(rows, value(fmt.Sprintf("one promotion: %s (%s)", l.Route, l.Charge), float64(audit[l]), ""))
	}
	command, rest := servertest.OfCommand(all)
	of, its := ghsim.CountRequests(rest), ghsim.CountRequests(command)
	sum := func(name string, n, most int) {
		rows = append(rows, value("one promotion: "+name, float64(n), "").atMost(float64(most)))
	}
	sum("counted writes", of.Writes, 6)
	sum("counted reads", of.Reads, 4)
	sum("fetches", of.Fetches, 1)
	sum("pushes", of.Pushes, 1)
	sum("counted writes for its command", its.Writes, 2)
	sum("counted reads for its command", its.Reads, 1)
	return rows
}

// latency measures, promotion by promotion in a warm repository, how long it takes from
// the webhook of a push until GitHub has opened the pull request, and how much of that
// GitHub had a request under way.
func latency(ctx context.Context, b *bench) (rows []row, err error) {
	n := b.pick(40, 8)
	b.say("  from the webhook to the pull request, %d times", n)
	err = b.play(ctx, func(tb testing.TB) {
		files := servertest.Files()
		files[".github/stagecoach.yml"] = toOneStage
		w := servertest.New(tb, files)
		wire := &wire{}
		w.Transport = wire
		w.StartServer()
		w.InstallApp()
		var whole, theirs, ours []time.Duration
		for i := range n + 2 {
			all, github := onePullRequest(w, wire, i)
			if i < 2 {
				continue // what the first ones find is not warm
			}
			whole, theirs, ours = append(whole, all), append(theirs, github), append(ours, all-github)
		}
		slices.Sort(ours)
		rows = []row{
			value("webhook to pull request open, warm, p50", ms(median(whole)), "ms"),
			value("… of which the simulated GitHub had a request under way, p50", ms(median(theirs)), "ms"),
			value("webhook to pull request open, warm, without that, p50", ms(median(ours)), "ms").atMost(150),
			value("webhook to pull request open, warm, without that, at most", ms(ours[len(ours)-1]), "ms"),
		}
	})
	return rows, err
}

// toOneStage promotes each change of app/ to staging by a pull request.
const toOneStage = `version: 1
sources:
  - name: app
    git: {branch: main, paths: ['app/**']}
stages:
  - name: staging
    promote: auto
    steps:
      - uses: kustomize-set-image
        config:
          path: envs/staging
          images: [{image: web, tag: "${{ freight.app.commit[:7] }}"}]
      - uses: yaml-update
        config:
          path: envs/staging/values.yaml
          updates: [{key: image.tag, value: "${{ freight.app.commit[:7] }}"}]
`

// onePullRequest pushes a change, waits for its pull request, and merges it. It tells
// what it took, and how much of that a request was under way.
func onePullRequest(w *servertest.World, wire *wire, i int) (all, github time.Duration) {
	octocat := w.Sim.As("octocat")
	before := len(w.Sim.Deliveries())
	if i > 0 {
		if _, err := octocat.Commit(w.Repo, "main", map[string]string{"app/deploy.yaml": fmt.Sprintf("kind: Deployment\nmetadata: {name: web-%d}\n", i)}, "Change the app"); err != nil {
			w.TB.Fatal(err)
		}
	}
	w.Until("the pull request is open", func() bool { return len(w.Open()) == 1 })
	w.Settle()
	if i > 0 {
		all, github = wire.between(arrival(w, before))
	}
	if _, err := octocat.Merge(w.Repo, w.Open()[0].Number, "squash"); err != nil {
		w.TB.Fatal(err)
	}
	w.Until("its branch is gone", func() bool { return len(w.Sim.Branches(w.Repo)) == 1 })
	w.Settle()
	return all, github
}

// arrival is when the first push after so many deliveries was sent to the server.
func arrival(w *servertest.World, before int) time.Time {
	for _, d := range w.Sim.Deliveries()[before:] {
		if d.Event == "push" {
			return d.At
		}
	}
	w.TB.Fatal("no push was delivered")
	return time.Time{}
}

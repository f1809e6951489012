package server_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// noting is a pipeline in which dev keeps values with its freight and with prod,
// and prod writes them into a file.
const noting = `version: 1
sources: [{name: app, git: {paths: ['app/**']}}]
stages:
  - name: dev
    promote: auto
    deliver: commit
    steps:
      - uses: set-metadata
        config:
          updates:
            - {kind: Freight, name: '${{ ctx.targetFreight.name }}', values: {builder: {name: 'builder of ${{ freight.app.commit }}'}}}
            - {kind: Stage, name: prod, values: {replicas: 3}}
      - {uses: yaml-update, config: {path: dev.yaml, updates: [{key: replicas, value: "${{ stageMetadata('prod').replicas }}"}]}}
  - name: prod
    after: [dev]
    deliver: commit
    steps:
      - uses: yaml-update
        config:
          path: prod.yaml
          updates:
            - {key: builder, value: '${{ freightMetadata(ctx.targetFreight.name).builder.name }}'}
            - {key: replicas, value: '${{ stageMetadata(ctx.stage).replicas }}'}
`

// What dev kept is there for prod, read by a server that knows it from the
// tracking issue alone.
func TestMetadataOutlivesTheDisk(t *testing.T) {
	t.Parallel()
	w := servertest.New(t, map[string]string{
		".github/stagecoach.yml": noting, "app/main.go": "package main\n", "dev.yaml": "replicas: 1\n", "prod.yaml": "builder: none\nreplicas: 1\n",
	})
	w.InstallApp(w.Repo)
	w.StartServer()
	octocat := w.Sim.As("octocat")
	sha, err := octocat.Commit(w.Repo, "main", map[string]string{"app/main.go": "package app\n"}, "Change the app")
	if err != nil {
		t.Fatal(err)
	}
	w.Until("dev is recorded", func() bool { return w.Recorded("dev") })
	w.Settle()
	if got := w.File("dev.yaml"); got != "replicas: 3\n" {
		t.Errorf("a later step of dev wrote %q", got)
	}
	w.StopServer()
	if err := os.RemoveAll(w.DataDir); err != nil {
		t.Fatal(err)
	}
	w.StartServer()
	issue, _ := w.TrackingIssue()
	if _, err := octocat.Comment(w.Repo, issue.Number, "/promote prod"); err != nil {
		t.Fatal(err)
	}
	w.Until("prod wrote what dev kept", func() bool {
		return strings.HasPrefix(w.File("prod.yaml"), "builder: builder of "+sha) && strings.HasSuffix(w.File("prod.yaml"), "\nreplicas: 3\n")
	})
}

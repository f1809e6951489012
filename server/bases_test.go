//go:build !small

package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	_ "github.com/stagecoach-app/stagecoach/gitops/step/kustomize" // the step that is tested
	"github.com/stagecoach-app/stagecoach/server/ghsim"
	"github.com/stagecoach-app/stagecoach/server/servertest"
)

// building is a repository whose stages each build a kustomization that names one thing.
func building(resources map[string]string) map[string]string {
	files := map[string]string{".github/stagecoach.yml": "version: 1\nsources: [{name: app, git: {paths: [app.txt]}}]\nstages:\n", "app.txt": "1\n"}
	for stage, resource := range resources {
		files[".github/stagecoach.yml"] += strings.ReplaceAll("  - name: STAGE\n    promote: auto\n    deliver: commit\n    steps:\n      - {uses: kustomize-build, config: {path: STAGE, outPath: STAGE.yaml}}\n", "STAGE", stage)
		files[stage+"/kustomization.yaml"] = "resources: ['" + resource + "']\n"
	}
	return files
}

// Bases elsewhere are read where the operator allows it: on GitHub as a source would
// be, so that what does not share is as if it were not there; elsewhere by nobody.
func TestBasesInOtherRepositories(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("somebody logged in")
		}
		fmt.Fprint(w, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: of-the-web}\n")
	}))
	t.Cleanup(web.Close)
	base := func(name string) map[string]string {
		return map[string]string{"web/kustomization.yaml": "resources: [cm.yaml]\n", "web/cm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\n"}
	}
	w := servertest.New(t, nil)
	github := w.Sim.URL()
	elsewhere := strings.Replace(github, "127.0.0.1", "localhost", 1) // a host that is not the operator's GitHub
	gitops, err := w.Sim.CreateRepo("acme", "bases", ghsim.RepoOptions{Private: true, Files: building(map[string]string{
		"shared": github + "/acme/shared//web?ref=main", "closed": github + "/acme/closed//web", "missing": github + "/acme/missing//web",
		"foreign": elsewhere + "/acme/public.git//web", "private": elsewhere + "/acme/shared.git//web", "file": web.URL + "/cm.yaml", "other": github + "/umbrella/base//web",
	})})
	noErr(t, err)
	shares := base("of-a-repository-that-shares")
	shares[".github/stagecoach.yml"] = "version: 1\nshare: [acme/bases]\n"
	repos := []ghsim.Repo{gitops}
	for name, files := range map[string]map[string]string{"shared": shares, "closed": base("closed")} {
		repo, err := w.Sim.CreateRepo("acme", name, ghsim.RepoOptions{Private: true, Files: files})
		noErr(t, err)
		repos = append(repos, repo)
	}
	_, err = w.Sim.CreateRepo("acme", "public", ghsim.RepoOptions{Files: base("of-another-host")})
	noErr(t, err)
	w.Vars = map[string]string{"STAGECOACH_ALLOW_HOSTS": "127.0.0.1,localhost", "STAGECOACH_REMOTE_BASES": strings.Join([]string{github + "/acme", elsewhere, web.URL}, ",")}
	w.InstallApp(repos...)
	w.StartServer()
	for stage, want := range map[string]string{"shared": "of-a-repository-that-shares", "foreign": "of-another-host", "file": "of-the-web"} {
		w.Until(stage+" is built", func() bool {
			out, _ := w.Sim.File(gitops, "main", stage+".yaml")
			return strings.Contains(out, want)
		})
	}
	for stage, want := range map[string]string{
		"closed": "acme/closed cannot be read: install the app there", "missing": "acme/missing cannot be read: install the app there",
		"private": "it is not there, or not for everybody to read", "other": "the operator of this server allows bases from",
	} {
		w.Until(stage+" is refused", func() bool {
			for _, issue := range w.Sim.Issues(gitops) {
				if strings.Contains(issue.Body, want) {
					return true
				}
			}
			return false
		})
		if out, err := w.Sim.File(gitops, "main", stage+".yaml"); err == nil {
			t.Errorf("%s got %s", stage, out)
		}
	}
}

package step_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/gitops/step"
)

// serve serves a vector's chart repository, and puts its address into the vector.
func (v *vector) serve(t *testing.T) *step.Remote {
	t.Helper()
	if v.ChartRepo == nil {
		return nil
	}
	index := "apiVersion: v1\nentries:\n"
	files := map[string][]byte{}
	for name, text := range v.ChartRepo {
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		chart, version, _ := strings.Cut(strings.TrimSuffix(name, ".tgz"), "-")
		index += fmt.Sprintf("  %s:\n  - {name: %s, version: %s, urls: [%s]}\n", chart, chart, version, name)
		files["/"+name] = raw
	}
	files["/index.yaml"] = []byte(index)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(content)
	}))
	t.Cleanup(server.Close)
	raw, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal([]byte(strings.ReplaceAll(string(raw), "{{CHART_REPO}}", server.URL)), v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &step.Remote{Client: server.Client()}
}

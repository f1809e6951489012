package helm

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/loader/archive"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/gitops/step/steptest"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// tarball packs files into an archive of a chart.
func tarball(t *testing.T, name string, files map[string]string) string {
	t.Helper()
	var list []*archive.BufferedFile
	for _, p := range slices.Sorted(maps.Keys(files)) {
		list = append(list, &archive.BufferedFile{Name: p, Data: []byte(files[p])})
	}
	raw, err := pack(name, list)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func chartYAML(name string) string { return "apiVersion: v2\nname: " + name + "\nversion: 1.0.0\n" }

// TestArchivesInArchives: dependencies are the same as folders, as archives, and as
// archives inside archives.
func TestArchivesInArchives(t *testing.T) {
	inner := map[string]string{"Chart.yaml": chartYAML("c"), "templates/c.yaml": "kind: C\n"}
	middle := map[string]string{"Chart.yaml": chartYAML("b"), "templates/b.yaml": "kind: B\n"}
	at := func(dir string, files map[string]string) map[string]string {
		out := map[string]string{}
		for p, content := range files {
			out[dir+p] = content
		}
		return out
	}
	with := func(a, b map[string]string) map[string]string { out := maps.Clone(a); maps.Copy(out, b); return out }
	own := map[string]string{"chart/Chart.yaml": chartYAML("a"), "chart/templates/a.yaml": "kind: A\n", "chart/charts/_ignored.tgz": "no archive"}
	packed := with(middle, map[string]string{"charts/c-1.0.0.tgz": tarball(t, "c", inner)})
	var want string
	for i, files := range []map[string]string{
		with(own, with(at("chart/charts/b/", middle), at("chart/charts/b/charts/c/", inner))),
		with(own, at("chart/charts/b/", packed)),
		with(own, map[string]string{"chart/charts/b-1.0.0.tgz": tarball(t, "b", packed)}),
	} {
		ws := steptest.New(files)
		_, err := step.Run(t.Context(), ws, step.Task{Uses: "helm-template", Config: json.RawMessage(`{"path": "chart", "outPath": "o.yaml", "releaseName": "r"}`)})
		if got := ws.Files["o.yaml"].Content; i == 0 {
			want = got
		} else if got != want {
			t.Errorf("%d: it gives\n%s\nwant\n%s", i, got, want)
		}
		if err != nil || !strings.Contains(want, "# Source: a/charts/b/charts/c/templates/c.yaml\nkind: C\n") {
			t.Errorf("%d: %v\n%s", i, err, want)
		}
	}
}

// TestArchivesAreBounded: all that is unpacked for one chart counts, files without
// content and archives inside archives too.
func TestArchivesAreBounded(t *testing.T) {
	var mebibyte bytes.Buffer // zipped; such texts one after another are one text
	zipped := gzip.NewWriter(&mebibyte)
	_, err := zipped.Write(make([]byte, 1<<20))
	if err := errors.Join(err, zipped.Close()); err != nil {
		t.Fatal(err)
	}
	bomb := strings.Repeat(mebibyte.String(), maxUnpacked>>20+1)
	for p, files := range map[string]map[string]string{
		"folder":  {"chart/Chart.yaml": chartYAML("a"), "chart/charts/b.tgz": bomb},
		"archive": {"chart": bomb},
	} {
		ws := steptest.New(files)
		_, err = step.Run(t.Context(), ws, step.Task{Uses: "helm-template", Config: json.RawMessage(`{"path": "chart", "outPath": "o.yaml", "releaseName": "r"}`)})
		if err == nil || !promotion.IsTerminal(err) || !strings.Contains(err.Error(), "is too large: the chart and the archives in it have more than 128 MiB unpacked") {
			t.Errorf("%s: %v", p, err)
		}
	}
	small := tarball(t, "c", map[string]string{"Chart.yaml": chartYAML("c"), "values.yaml": "a: " + strings.Repeat("x", 60_000)})
	many := make([]*archive.BufferedFile, 5)
	for i := range many {
		many[i] = &archive.BufferedFile{Name: fmt.Sprintf("charts/c%d.tgz", i), Data: []byte(small)}
	}
	nested := []*archive.BufferedFile{{Name: "charts/n.tgz", Data: []byte(tarball(t, "n", map[string]string{"charts/a.tgz": small, "charts/d/charts/b.tgz": small, "Chart.yaml": chartYAML("n")}))}}
	inFolder := []*archive.BufferedFile{{Name: "charts/n/charts/a.tgz", Data: []byte(small)}, {Name: "charts/n/charts/d/charts/b.tgz", Data: []byte(small)}}
	empty := []*archive.BufferedFile{{Name: "charts/e.tgz", Data: headers(t, 1000)}}
	for name, tt := range map[string]struct {
		files []*archive.BufferedFile
		want  int64 // about what they unpack to
	}{"many": {many, 5 * 64_000}, "nested": {nested, 2 * 64_000}, "in folders": {inFolder, 2 * 64_000}, "files without content": {empty, 500_000}} {
		if _, err := (&unpacker{left: tt.want / 2}).charts(tt.files); err == nil || !strings.Contains(err.Error(), "too large") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := (&unpacker{left: tt.want * 2}).charts(tt.files); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// headers is an archive of files that hold nothing.
func headers(t *testing.T, n int) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	tarred := tar.NewWriter(zipped)
	for i := range n {
		if err := tarred.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: fmt.Sprintf("e/%d", i), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(tarred.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestFetchesAreBounded: so is what all dependencies, and all references of schemas,
// have together.
func TestFetchesAreBounded(t *testing.T) {
	f := newFetcher(nil, "web", world(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("12345")) }))
	f.bytes = maxFetched - 9
	if _, err := f.get(t.Context(), request{url: "https://example.com/a", most: 9}); err != nil {
		t.Error(err)
	}
	if _, err := f.get(t.Context(), request{url: "https://example.com/b", most: 9}); err == nil || !promotion.IsTerminal(err) || !strings.Contains(err.Error(), "the dependencies of web, with the indexes of their repositories, have more than 256 MiB") {
		t.Errorf("too much: %v", err)
	}
	if _, _, err := f.fromRegistry(t.Context(), "oci://example.com/acme", "db", "1.0.0"); err == nil || !strings.Contains(err.Error(), "more than 256 MiB") {
		t.Errorf("a registry: %v", err)
	}
	if _, _, err := f.fromRepository(t.Context(), "https://example.com/charts", "db", "1.0.0"); err == nil || !strings.Contains(err.Error(), "more than 256 MiB") {
		t.Errorf("a repository: %v", err)
	}
	load := &schemaLoader{ctx: t.Context(), bytes: maxSchemas - 9, remote: world(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, `{"$ref": %q}`, r.URL.Path+"x")
	})}
	if err := validateOne(load, []byte(`{"$ref": "https://example.com/x"}`), nil); err == nil || !strings.Contains(err.Error(), "the schemas that it refers to have more than 16 MiB") {
		t.Errorf("schemas without end: %v", err)
	}
}

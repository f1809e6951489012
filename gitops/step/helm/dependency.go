package helm

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"sigs.k8s.io/yaml"

	"github.com/stagecoach-app/stagecoach/gitops/step"
)

// fetcher gets the dependencies of one chart.
type fetcher struct {
	ws      step.Workspace
	dir     string // the chart's folder
	remote  *step.Remote
	indexes map[string]map[string][]indexed
	bytes   int // that were fetched
}

func newFetcher(ws step.Workspace, dir string, remote *step.Remote) *fetcher {
	return &fetcher{ws: ws, dir: dir, remote: remote, indexes: map[string]map[string][]indexed{}}
}

// maxFetched bounds what is fetched for one chart, in bytes.
const maxFetched = 256 << 20

// get fetches a file, and counts it.
func (f *fetcher) get(ctx context.Context, r request) ([]byte, error) {
	content, err := fetch(ctx, f.remote, r)
	if f.bytes += len(content); f.bytes > maxFetched {
		return nil, step.Refuse("fetch %s: the dependencies of %s, with the indexes of their repositories, have more than %d MiB", r.url, f.dir, maxFetched>>20)
	}
	return content, err
}

// resolved is a dependency with the version that was chosen.
type resolved struct {
	dep     chart.Dependency // as a lock has it
	archive []byte           // nil: it is in the folder charts already
}

func (r resolved) file() string { return "charts/" + r.dep.Name + "-" + r.dep.Version + ".tgz" }

// resolve gets the newest version that a dependency allows.
func (f *fetcher) resolve(ctx context.Context, dep *chart.Dependency) (resolved, error) {
	out := resolved{dep: chart.Dependency{Name: dep.Name, Repository: dep.Repository}}
	var err error
	switch scheme, rest, _ := strings.Cut(dep.Repository, "://"); {
	case dep.Name != path.Base(dep.Name) || dep.Name == "" || dep.Name == "." || dep.Name == "..":
		err = step.Refuse("%q is no name of a chart", dep.Name)
	case dep.Repository == "":
		out.dep.Version, err = f.vendored(ctx, dep)
	case scheme == "file":
		out.dep.Version, out.archive, err = f.local(ctx, dep, rest)
	case scheme == "oci":
		out.dep.Version, out.archive, err = f.fromRegistry(ctx, dep.Repository, dep.Name, dep.Version)
	case scheme == "http", scheme == "https":
		out.dep.Version, out.archive, err = f.fromRepository(ctx, dep.Repository, dep.Name, dep.Version)
	default:
		err = step.Refuse("its repository %q is no address (https://, oci:// or file://); names that `helm repo add` gave are known to the machine where that was run alone", dep.Repository)
	}
	if err != nil {
		return out, fmt.Errorf("the dependency %s: %w", dep.Name, err)
	}
	return out, nil
}

// vendored is a dependency without repository: a folder in charts.
func (f *fetcher) vendored(ctx context.Context, dep *chart.Dependency) (string, error) {
	version, _, err := f.chartAt(ctx, path.Join(f.dir, "charts", dep.Name), dep)
	return version, err
}

// local is a dependency in another folder of the workspace.
func (f *fetcher) local(ctx context.Context, dep *chart.Dependency, rel string) (string, []byte, error) {
	if path.IsAbs(rel) {
		return "", nil, step.Refuse("its path %s must be relative to the chart", rel)
	}
	version, files, err := f.chartAt(ctx, path.Join(f.dir, rel), dep)
	if err != nil {
		return "", nil, err
	}
	packed, err := pack(dep.Name, files)
	return version, packed, err
}

// chartAt reads a chart's folder and checks that it is what a dependency asks for.
func (f *fetcher) chartAt(ctx context.Context, at string, dep *chart.Dependency) (string, []*archive.BufferedFile, error) {
	files, err := readChart(ctx, f.ws, at)
	if err != nil {
		return "", nil, err
	}
	meta, err := metadata(at, files)
	switch {
	case err != nil:
		return "", nil, err
	case meta.Name != dep.Name:
		return "", nil, step.Refuse("the chart in %s is called %s", at, meta.Name)
	}
	if _, err := newest([]string{meta.Version}, dep.Version); err != nil {
		return "", nil, step.Refuse("the chart in %s has the version %s, and %s is asked for", at, meta.Version, dep.Version)
	}
	return meta.Version, files, nil
}

// metadata reads a chart's Chart.yaml.
func metadata(at string, files []*archive.BufferedFile) (*chart.Metadata, error) {
	content := contentOf(files, "Chart.yaml")
	if content == nil {
		return nil, step.Refuse("there is no Chart.yaml in %s", at)
	}
	meta := new(chart.Metadata)
	if err := yaml.Unmarshal(content, meta); err != nil {
		return nil, step.Refuse("%s/Chart.yaml: %w", at, err)
	}
	return meta, nil
}

// contentOf is a chart's file; nil: there is none.
func contentOf(files []*archive.BufferedFile, name string) []byte {
	i := slices.IndexFunc(files, func(f *archive.BufferedFile) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return files[i].Data
}

// pack makes an archive that depends on the files alone.
func pack(name string, files []*archive.BufferedFile) ([]byte, error) {
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	tarred := tar.NewWriter(zipped)
	for _, f := range files {
		head := &tar.Header{Typeflag: tar.TypeReg, Name: name + "/" + f.Name, Mode: 0o644, Size: int64(len(f.Data))}
		if err := tarred.WriteHeader(head); err != nil {
			return nil, fmt.Errorf("pack %s: %w", name, err)
		}
		if _, err := tarred.Write(f.Data); err != nil {
			return nil, fmt.Errorf("pack %s: %w", name, err)
		}
	}
	if err := tarred.Close(); err != nil {
		return nil, fmt.Errorf("pack %s: %w", name, err)
	}
	if err := zipped.Close(); err != nil {
		return nil, fmt.Errorf("pack %s: %w", name, err)
	}
	return out.Bytes(), nil
}

// withDependencies adds what a chart lacks of its dependencies: the versions of
// its lock, else the newest allowed. Nothing is written.
func withDependencies(ctx context.Context, ws step.Workspace, task step.Task, at string, files []*archive.BufferedFile) ([]*archive.BufferedFile, error) {
	meta, err := metadata(at, files)
	if err != nil {
		return nil, err
	}
	locked := new(chart.Lock)
	if err := yaml.Unmarshal(contentOf(files, "Chart.lock"), locked); err != nil {
		return nil, step.Refuse("%s/Chart.lock: %w", at, err)
	}
	f := newFetcher(ws, at, task.Remote)
	for _, dep := range meta.Dependencies {
		if dep == nil || has(files, dep.Name) {
			continue
		}
		for _, l := range locked.Dependencies {
			if l != nil && l.Name == dep.Name && l.Repository == dep.Repository {
				dep.Version = l.Version
			}
		}
		got, err := f.resolve(ctx, dep)
		if err != nil {
			return nil, err
		}
		files = append(files, &archive.BufferedFile{Name: got.file(), Data: got.archive})
	}
	return files, nil
}

// has reports whether a chart's folder charts holds a dependency: as a folder, or
// as an archive, whose name ends in a version.
func has(files []*archive.BufferedFile, name string) bool {
	return slices.ContainsFunc(files, func(f *archive.BufferedFile) bool {
		rest, ok := strings.CutPrefix(f.Name, "charts/"+name)
		if !ok {
			return false
		}
		version, isArchive := strings.CutSuffix(strings.TrimPrefix(rest, "-"), ".tgz")
		return strings.HasPrefix(rest, "/") || isArchive && strings.HasPrefix(rest, "-") && exact.MatchString(version)
	})
}

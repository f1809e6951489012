package helm

import (
	"bytes"
	"compress/gzip"
	"io"
	"path"
	"strings"

	"helm.sh/helm/v4/pkg/chart/loader/archive"

	"github.com/stagecoach-app/stagecoach/gitops/step"
)

// unpacker unpacks the archives of one chart. The library bounds what the files of
// one archive hold; it bounds neither how many they are nor archives inside archives.
type unpacker struct{ left int64 }

func newUnpacker() *unpacker { return &unpacker{left: maxUnpacked} }

// unpack reads a chart's archive.
func (u *unpacker) unpack(name string, content []byte) ([]*archive.BufferedFile, error) {
	if err := u.count(name, content); err != nil {
		return nil, err
	}
	files, err := archive.LoadArchiveFiles(bytes.NewReader(content))
	if err != nil {
		return nil, step.Refuse("%s is no chart: %w", name, err)
	}
	return files, nil
}

// count looks how large an archive is, before anything of it is kept.
func (u *unpacker) count(name string, content []byte) error {
	unzipped, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return step.Refuse("%s is no chart: %w", name, err)
	}
	n, err := io.Copy(io.Discard, io.LimitReader(unzipped, u.left+1))
	if u.left -= n; u.left < 0 {
		return step.Refuse("%s is too large: the chart and the archives in it have more than %d MiB unpacked", name, maxUnpacked>>20)
	}
	if err != nil {
		return step.Refuse("%s is no chart: %w", name, err)
	}
	return nil
}

// charts puts the files of dependencies in the place of their archives, as the
// library does it, but bounded.
func (u *unpacker) charts(files []*archive.BufferedFile) ([]*archive.BufferedFile, error) {
	var out []*archive.BufferedFile
	for _, f := range files {
		if !isArchive(f.Name) {
			out = append(out, f)
			continue
		}
		inside, err := u.unpack(f.Name, f.Data)
		if err == nil {
			inside, err = u.charts(inside)
		}
		if err != nil {
			return nil, err
		}
		for _, in := range inside {
			in.Name = f.Name + ":/" + in.Name // a folder of a name that no other has
			out = append(out, in)
		}
	}
	return out, nil
}

// isArchive reports whether the library takes a file for the archive of a dependency:
// it stands in the folder charts, or in that of a dependency's folder there.
func isArchive(name string) bool {
	rest, in := strings.CutPrefix(name, "charts/")
	chart, rest, folder := strings.Cut(rest, "/")
	switch {
	case !in, strings.IndexAny(chart, "_.") == 0: // the library leaves those out
		return false
	case folder:
		return isArchive(rest)
	}
	return path.Ext(chart) == ".tgz"
}

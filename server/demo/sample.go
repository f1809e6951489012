package demo

import (
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
)

//go:embed all:sample
var sample embed.FS

// sampleFiles are the files of the sample repository, by path.
func sampleFiles() (map[string]string, error) {
	files := map[string]string{}
	err := fs.WalkDir(sample, "sample", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := sample.ReadFile(path)
		files[strings.TrimPrefix(path, "sample/")] = string(content)
		return err
	})
	return files, err
}

// The change that octocat makes in the sample: the memory that web may use.
const (
	changedFile   = "app/deployment.yaml"
	changeMessage = "Give web more memory"
)

var memoryLimit = regexp.MustCompile(`(limits:\n\s+memory: )(\d+)Mi`)

// nextChange is the changed file after one more change: the limit is doubled
// each time.
func nextChange(content string) (string, error) {
	m := memoryLimit.FindStringSubmatch(content)
	if m == nil {
		return "", fmt.Errorf("%s holds no limits.memory any more, which the story would change", changedFile)
	}
	limit, err := strconv.Atoi(m[2])
	if err != nil || limit == 0 || limit > 1<<20 {
		limit = 64
	}
	return strings.Replace(content, m[0], m[1]+strconv.Itoa(2*limit)+"Mi", 1), nil
}

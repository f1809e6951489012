package step

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"strings"
)

// Rendered is a file that a step makes.
type Rendered struct {
	Path    string // as a config names paths
	Content []byte
}

// MaxRendered bounds what one step may write, in bytes.
const MaxRendered = 32 << 20

// WriteAll writes files, links followed, and returns how many of them changed.
// Every path is checked before the first is written; two for one file are an error.
func WriteAll(ctx context.Context, ws Workspace, files []Rendered) (changed int, err error) {
	var writes []Rendered
	size, seen := 0, map[string]bool{}
	for _, f := range files {
		if size += len(f.Content); size > MaxRendered {
			return 0, terminalf("the output has more than %d bytes, which is the most that a step writes", MaxRendered)
		}
		file, err := fileToWrite(ctx, ws, f.Path)
		if err != nil {
			return 0, err
		}
		if seen[file] {
			return 0, terminalf("two outputs would be written to %s: render them to one file (an outPath that ends in .yaml)", f.Path)
		}
		seen[file] = true
		same, _, err := holds(ctx, ws, file, f.Content, 0)
		if err != nil {
			return 0, err
		}
		if !same {
			writes = append(writes, Rendered{file, f.Content})
		}
	}
	for _, w := range writes {
		if err := ws.WriteFile(ctx, w.Path, w.Content, 0); err != nil {
			return 0, fmt.Errorf("write %s: %w", w.Path, err)
		}
	}
	return len(writes), nil
}

// IsFile reports whether an outPath names a file, not a folder: by its end, as in Kargo.
func IsFile(outPath string) bool {
	ext := path.Ext(outPath)
	return ext == ".yaml" || ext == ".yml"
}

// ManifestName is the name of a chart's manifest's file in a folder, as in Kargo. A
// manifest whose names are no file names is refused.
func ManifestName(kind, namespace, name string) (string, error) {
	parts := []string{kind, namespace, name}
	if namespace == "" {
		parts = []string{kind, name}
	}
	return FileName(strings.ToLower(strings.Join(parts, "-")) + ".yaml")
}

// FileName checks that what a manifest says of itself is one part of a path.
func FileName(name string) (string, error) {
	if strings.ContainsAny(name, "/\\\x00") || name == "" || name == "." || name == ".." || strings.EqualFold(name, ".git") {
		return "", terminalf("the kind or name of a manifest is no file name: %q", name)
	}
	return name, nil
}

// JoinManifests makes one text of several documents.
func JoinManifests(docs [][]byte) []byte {
	var out bytes.Buffer
	for i, doc := range docs {
		if i > 0 {
			out.WriteString("---\n")
		}
		out.Write(doc)
		if !bytes.HasSuffix(doc, []byte("\n")) {
			out.WriteByte('\n')
		}
	}
	return out.Bytes()
}

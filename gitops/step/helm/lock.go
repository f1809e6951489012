package helm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"

	chart "helm.sh/helm/v4/pkg/chart/v2"
	"sigs.k8s.io/yaml"

	"github.com/stagecoach-app/stagecoach/gitops/step"
)

// lockFile is the content of Chart.lock, and the versions that it had before. A
// lock that says the same stays as it is, its date included.
func lockFile(ctx context.Context, ws step.Workspace, dir string, task step.Task, wanted []*chart.Dependency, deps []resolved) (content []byte, before map[string][]string, err error) {
	file := path.Join(dir, "Chart.lock")
	before = map[string][]string{}
	var old chart.Lock
	if _, err := ws.Stat(ctx, file); err == nil {
		if _, content, err = step.Read(ctx, ws, file); err != nil {
			return nil, nil, err
		}
		if err := yaml.Unmarshal(content, &old); err != nil {
			return nil, nil, step.Refuse("%s: %w", file, err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("look at %s: %w", file, err)
	}
	for _, d := range old.Dependencies {
		if d != nil {
			before[d.Name] = append(before[d.Name], d.Version)
		}
	}
	lock := chart.Lock{}
	for i := range deps {
		lock.Dependencies = append(lock.Dependencies, &deps[i].dep)
	}
	if lock.Digest, err = digest(wanted, lock.Dependencies); err != nil || lock.Digest == old.Digest {
		return content, before, err
	}
	if task.Freight != nil { // when the freight came, so that a second run gives the same
		lock.Generated = task.Freight.CreatedAt.UTC()
	}
	if content, err = yaml.Marshal(lock); err != nil {
		return nil, nil, fmt.Errorf("write %s: %w", file, err)
	}
	return content, before, nil
}

// digest is what Helm compares to tell whether a lock fits its Chart.yaml:
// https://github.com/helm/helm/blob/main/internal/resolver/resolver.go
func digest(wanted, locked []*chart.Dependency) (string, error) {
	raw, err := json.Marshal([2][]*chart.Dependency{wanted, locked})
	if err != nil {
		return "", fmt.Errorf("hash the dependencies: %w", err)
	}
	sum := sha256.Sum256(raw)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

package demo

import (
	"context"
	"path/filepath"
)

// set is what a new demo's repository is made of.
type set struct {
	owner, name string
	files       map[string]string // of the sample
	git         string            // the user's repository
	sample      bool
}

// scene reads what is to be played, and says in words why that is not possible.
func scene(ctx context.Context, opts Options) (*set, error) {
	if opts.Repo == "" {
		files, err := sampleFiles()
		return &set{owner: "acme", name: "gitops", files: files, sample: true}, err
	}
	dir, err := filepath.Abs(opts.Repo)
	if err != nil {
		return nil, err
	}
	g := local{dir: dir, shown: opts.Repo}
	if err := g.check(ctx); err != nil {
		return nil, err
	}
	owner, name := g.fullName(ctx)
	return &set{owner: owner, name: name, git: dir}, nil
}

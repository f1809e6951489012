package gitops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// addObjects writes objects as one new pack.
func (s *store) addObjects(ctx context.Context, objects []*object) error {
	_, err := s.pack(ctx, objects)
	return err
}

// pack is addObjects that tells which pack holds them.
func (s *store) pack(ctx context.Context, objects []*object) (path string, err error) {
	if len(objects) == 0 {
		return "", nil
	}
	tmp, err := s.create(s.packDir(), "tmp_")
	if err != nil {
		return "", fmt.Errorf("write to the clone: %w", err)
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	if err := errors.Join(encodePack(tmp, objects), tmp.Close()); err != nil {
		return "", fmt.Errorf("write to the clone: %w", err)
	}
	return s.addFile(ctx, tmp.Name())
}

// addStream writes a pack that needs no objects but its own, as it comes in.
func (s *store) addStream(ctx context.Context, r io.Reader) error {
	tmp, err := s.create(s.packDir(), "tmp_")
	if err != nil {
		return fmt.Errorf("write to the clone: %w", err)
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	_, err = io.Copy(tmp, r)
	if err := errors.Join(err, tmp.Close()); err != nil {
		return fmt.Errorf("keep the pack: %w", err)
	}
	_, err = s.addFile(ctx, tmp.Name())
	return err
}

// addFile takes a finished pack file into the clone.
func (s *store) addFile(ctx context.Context, tmp string) (path string, err error) {
	path, err = installPack(ctx, tmp, s.packDir())
	if err != nil || path == "" {
		return "", err
	}
	p, err := openPack(path, s.bases)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		p.close()
		return "", s.err
	}
	if slices.ContainsFunc(s.packs, func(q *pack) bool { return q.path == p.path }) {
		p.close()
		return path, nil
	}
	s.packs = append([]*pack{p}, s.packs...)
	return path, nil
}

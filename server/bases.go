package server

import (
	"cmp"
	"path/filepath"

	"github.com/stagecoach-app/stagecoach/gitops"
	"github.com/stagecoach-app/stagecoach/gitops/egress"
)

// The bounds of what is fetched from git servers that are not the operator's GitHub.
const (
	basesDisk   = 1 << 30 // of all of it, unless STAGECOACH_CACHE_SIZE is less
	basesAnswer = 64 << 20
	basesMemory = 16 << 20
)

// openBases opens the engine of bases elsewhere. It has a directory of its own, where
// nothing but what anybody may read comes to lie, and goes where the guard allows.
func (s *Server) openBases() (err error) {
	if len(s.Settings.RemoteBases) == 0 {
		return nil
	}
	s.bases, err = gitops.New(filepath.Join(s.Settings.DataDir, "bases"), gitops.Options{
		Transport: egress.Bounded(s.outside.Transport, basesAnswer), UserAgent: "git/stagecoach-" + s.Version,
		Disk: min(cmp.Or(s.Settings.CacheSize, basesDisk), basesDisk), Memory: basesMemory, OnFetch: s.measures.fetched,
	})
	return err
}

package ghsim_test

import (
	"context"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

func driveRules(w *world) error {
	ctx, repos := context.Background(), w.rest.Repositories
	full := ghsim.Rules{
		Checks: []ghsim.RequiredCheck{{Name: "ci"}, {Name: "stagecoach/prod", App: w.app.ID}}, Strict: true, Approvals: 2, DismissStale: true, LastPush: true,
		Methods: []string{"squash"}, LinearHistory: true, NoForcePush: true, NoDeletion: true, MergeQueue: true,
	}
	if _, err := w.AddRuleset(w.repo, "release/*", full); err != nil {
		return err
	}
	if err := w.Protect(w.repo, "main", full); err != nil {
		return err
	}
	defer func() { _ = w.RemoveRules(w.repo, "main") }() // cannot fail where Protect did not
	return run(
		func() error {
			status, _, _ := w.send("GET", gitopsPath+"/rules/branches/release/1", w.token(), "")
			return wantStatus(status, 200)
		},
		func() error { _, _, err := repos.GetBranchProtection(ctx, "acme", "gitops", "main"); return err },
		func() error { _, _, err := repos.GetBranch(ctx, "acme", "gitops", "main", 0); return err },
	)
}

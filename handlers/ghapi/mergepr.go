package ghapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// mergeConfig is the config of git-merge-pr, evaluated.
// https://docs.kargo.io/user-guide/reference-docs/promotion-steps/git-merge-pr
type mergeConfig struct {
	RepoURL     string          `json:"repoURL"`
	PRNumber    json.RawMessage `json:"prNumber"`
	MergeMethod string          `json:"mergeMethod"`
	Wait        *bool           `json:"wait"` // default: wait
}

// mergePullRequest merges the promotion's pull request as soon as GitHub allows
// it, naming the commit that it merges. One that was merged already is adopted.
func (r *repository) mergePullRequest(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	config, err := readConfig[mergeConfig](t)
	if err != nil {
		return promotion.Result{}, err
	}
	if err := r.own(config.RepoURL, t.Step.Uses); err != nil {
		return promotion.Result{}, err
	}
	number, err := pullNumber(config.PRNumber, t.Promotion)
	if err != nil {
		return promotion.Result{}, err
	}
	pr, err := r.readPull(ctx, number, true)
	if err != nil {
		return promotion.Result{}, err
	}
	result := r.waited(ctx, pr)
	result.Mergeable = mergeability(pr, t.Promotion)
	if result.Phase != promotion.StepWaiting || t.Effect.Hold {
		return result, nil
	}
	known := t.Promotion.PullRequest
	if known != nil && known.Number == number && known.Head != result.PullRequest.Head {
		return result, nil // the gates have to be judged for this head first
	}
	if result, err = r.tryMerge(ctx, t, config, pr, result); err != nil {
		return promotion.Result{}, err
	}
	result.Tried = result.Phase == promotion.StepWaiting
	if result.Phase == promotion.StepWaiting && config.Wait != nil && !*config.Wait {
		result.Phase = promotion.StepFailed
	}
	return result, nil
}

// tryMerge merges, or says what GitHub waits for. Whether it can be merged may not
// be worked out yet, and mergeable_state is a hint: what GitHub answers to the
// merge is what counts.
func (r *repository) tryMerge(ctx context.Context, t promotion.Task, config mergeConfig, pr *github.PullRequest, waiting promotion.Result) (promotion.Result, error) {
	base := pr.GetBase().GetRef()
	switch {
	case pr.GetDraft():
		waiting.Message = "Waiting until somebody marks the draft as ready for review"
		return waiting, nil
	case conflicts(pr):
		waiting.Message = fmt.Sprintf("Conflicts with %s: resolve it in the pull request, or `/abort` and promote again", base)
		return waiting, nil
	case pr.GetMergeableState() == "behind":
		return behind(waiting, base), nil
	case pr.AutoMerge != nil && pr.GetMergeableState() == "blocked":
		return leftToGitHub(waiting, ""), nil
	}
	for _, method := range methods(config, t.Promotion, pr) {
		merged, err := r.merge(ctx, t, pr, method)
		switch {
		case err == nil:
			return merged, nil
		case says(err, "base branch was modified"), status(err) == http.StatusConflict:
			return waiting, &said{fmt.Sprintf("%s moved while #%d was merged", base, pr.GetNumber()), promotion.ErrRaced}
		case status(err) == http.StatusMethodNotAllowed && pr.Mergeable == nil:
			return waiting, &said{fmt.Sprintf("GitHub does not know yet whether #%d can be merged", pr.GetNumber()), promotion.ErrRaced}
		case status(err) == http.StatusMethodNotAllowed && says(err, "merge queue"):
			return r.enqueue(ctx, pr, waiting)
		case says(err, "not allowed on this repository"):
			continue
		case status(err) == http.StatusMethodNotAllowed && says(err, "out of date"):
			return behind(waiting, base), nil
		case status(err) == http.StatusMethodNotAllowed:
			return r.leaveMerge(ctx, t, config, pr, method, notYet(waiting, err))
		}
		return waiting, err
	}
	waiting.Message = "The repository allows none of the merge methods: choose `method` in the config, or allow one in its settings"
	return waiting, nil
}

// saidBy is GitHub's own sentence.
func saidBy(err error) string {
	var answer *github.ErrorResponse
	if errors.As(err, &answer) {
		return saying(answer)
	}
	return err.Error()
}

// methods are the merge methods to try: the one that is asked for, else those
// that the repository allows, squash first.
func methods(config mergeConfig, p *promotion.Promotion, pr *github.PullRequest) []string {
	asked := config.MergeMethod
	if p.Plan != nil {
		asked = cmp.Or(asked, p.Plan.PullRequest.Method)
	}
	if asked != "" {
		return []string{asked}
	}
	repo := pr.GetBase().GetRepo()
	refused := func(allowed *bool) bool { return allowed != nil && !*allowed }
	return slices.DeleteFunc([]string{"squash", "merge", "rebase"}, func(m string) bool {
		return m == "squash" && refused(repo.AllowSquashMerge) || m == "merge" && refused(repo.AllowMergeCommit) || m == "rebase" && refused(repo.AllowRebaseMerge)
	})
}

// notYet says why GitHub does not allow a merge.
func notYet(waiting promotion.Result, err error) promotion.Result {
	waiting.Message = "Waiting until GitHub allows the merge: " + cut(saidBy(err), 200)
	return waiting
}

// commitText is the title and the text of the commit that a merge makes; both empty: the
// method makes none. The text keeps the trailers, whatever the repository's settings
// would write.
func commitText(t promotion.Task, pr *github.PullRequest, method string) (title, text string) {
	if method == "rebase" {
		return "", ""
	}
	return fmt.Sprintf("%s (#%d)", pr.GetTitle(), pr.GetNumber()), t.Promotion.Trailers(t.Freight)
}

// merge merges the head that was looked at.
func (r *repository) merge(ctx context.Context, t promotion.Task, pr *github.PullRequest, method string) (promotion.Result, error) {
	body := map[string]string{"sha": pr.GetHead().GetSHA(), "merge_method": method}
	if title, text := commitText(t, pr, method); title != "" {
		body["commit_title"], body["commit_message"] = title, text
	}
	req, err := r.NewRequest(http.MethodPut, fmt.Sprintf("repos/%s/%s/pulls/%d/merge", r.Owner, r.Name, pr.GetNumber()), body)
	if err != nil {
		return promotion.Result{}, err
	}
	var answer github.PullRequestMergeResult
	if _, err := r.Do(ctx, req, &answer); err != nil {
		return promotion.Result{}, err
	}
	pr.State, pr.Merged, pr.MergeCommitSHA = github.String("closed"), github.Bool(true), answer.SHA
	out := r.waited(ctx, pr)
	out.Message = fmt.Sprintf("merged #%d (%s)", pr.GetNumber(), method)
	return out, nil
}

// conflicts reports whether GitHub says that a pull request conflicts with its base.
func conflicts(pr *github.PullRequest) bool {
	return pr.Mergeable != nil && !pr.GetMergeable() || pr.GetMergeableState() == "dirty"
}

// mergeability is what GitHub says of merging the head that is known. Of another
// head it says nothing: the answer is older than our push, or speaks of a newer one.
func mergeability(pr *github.PullRequest, p *promotion.Promotion) promotion.Mergeability {
	known := p.PullRequest
	switch {
	case pr.GetState() != "open" || known == nil || known.Number == pr.GetNumber() && known.Head != pr.GetHead().GetSHA():
		return ""
	case conflicts(pr):
		return promotion.MergeConflict
	case pr.GetMergeableState() == "behind":
		return promotion.MergeBehind
	case pr.GetMergeable():
		return promotion.MergeClean
	}
	return ""
}

// behind says that a rule asks for a head that contains the base's tip.
func behind(waiting promotion.Result, base string) promotion.Result {
	waiting.Mergeable = promotion.MergeBehind
	waiting.Message = fmt.Sprintf("Must be up to date with %s: update the branch of the pull request", base)
	return waiting
}

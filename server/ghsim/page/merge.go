package page

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// merge merges a pull request at the head that the person saw.
func (v *visit) merge() error {
	me, err := v.hands()
	if err != nil {
		return err
	}
	number := v.number("number")
	path := fmt.Sprintf("/repos/%s/pulls/%d/merge", v.repo.FullName(), number)
	in := map[string]string{"merge_method": v.r.PostForm.Get("method"), "sha": v.r.PostForm.Get("head")}
	err = me.Do(http.MethodPut, path, in, nil)
	return v.said(err, "Merged.", v.numbered("pull", number))
}

// deleteBranch deletes the head branch of a closed pull request.
func (v *visit) deleteBranch() error {
	me, err := v.hands()
	if err != nil {
		return err
	}
	number, all := v.number("number"), v.sim.PullRequests(v.repo)
	at := slices.IndexFunc(all, func(p ghsim.PullRequest) bool { return p.Number == number })
	if at < 0 || all[at].State == "open" {
		return missing("%s has no closed pull request #%d.", v.repo.FullName(), number)
	}
	return v.said(me.DeleteBranch(v.repo, all[at].Head), "The branch is deleted.", v.numbered("pull", number))
}

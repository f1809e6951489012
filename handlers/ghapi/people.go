package ghapi

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// permission reads what a person may do in the repository. GitHub's permission
// knows four words (maintain counts as write, triage as read); role_name is the
// role itself. Somebody whom GitHub does not know may do nothing.
// https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user
func (r *repository) permission(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	path := fmt.Sprintf("repos/%s/%s/collaborators/%s/permission", r.Owner, r.Name, url.PathEscape(t.Effect.Login))
	req, err := r.NewRequest(http.MethodGet, path, nil)
	if err != nil {
		return promotion.Result{}, err
	}
	var level struct {
		Permission string `json:"permission"`
		RoleName   string `json:"role_name"` // go-github v57 does not have it
	}
	switch _, err := r.Do(ctx, req, &level); {
	case status(err) == http.StatusNotFound:
		return promotion.Result{Permission: "none", Role: "none"}, nil
	case err != nil:
		return promotion.Result{}, err
	}
	return promotion.Result{Permission: level.Permission, Role: level.RoleName}, nil
}

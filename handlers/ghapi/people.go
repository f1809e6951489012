package ghapi

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// permission reads what a person may do in the repository, and in which of the
// teams that the effect names they are. Somebody whom GitHub does not know may do
// nothing, and is in none. It takes a request, and one for each team.
func (r *repository) permission(ctx context.Context, t promotion.Task) (promotion.Result, error) {
	result, known, err := r.level(ctx, t.Effect.Login)
	if err != nil || !known {
		return result, err
	}
	for _, team := range t.Effect.Teams {
		switch is, err := r.isMember(ctx, team, t.Effect.Login); {
		case err == nil && is:
			result.Teams = append(result.Teams, team)
		case err == nil:
		default:
			// The others would be refused alike, and what is known so far counts.
			result.TeamsUnread, err = r.teamsUnread(team, err)
			return result, err
		}
	}
	return result, nil
}

// level reads a person's permission. GitHub's has four words (maintain counts as
// write, triage as read); role_name is the role itself. known is false when there
// is no such person, or GitHub hides whether there is.
// https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user
func (r *repository) level(ctx context.Context, login string) (result promotion.Result, known bool, err error) {
	var level struct {
		Permission string `json:"permission"`
		RoleName   string `json:"role_name"` // go-github v57 does not have it
	}
	err = r.read(ctx, fmt.Sprintf("repos/%s/%s/collaborators/%s/permission", r.Owner, r.Name, url.PathEscape(login)), &level)
	switch {
	case status(err) == http.StatusNotFound:
		return promotion.Result{Permission: "none", Role: "none"}, false, nil
	case err != nil:
		return promotion.Result{}, false, err
	}
	return promotion.Result{Permission: level.Permission, Role: level.RoleName}, true, nil
}

// isMember reads whether a person is an active member of a team of the
// repository's owner, or of a team below it. Nobody is where the owner is no
// organization, or has no such team: GitHub answers 404 for each of these.
// https://docs.github.com/en/rest/teams/members#get-team-membership-for-a-user
func (r *repository) isMember(ctx context.Context, team, login string) (bool, error) {
	if strings.Trim(team, ".") == "" {
		return false, nil // no slug, and a path that leads elsewhere
	}
	var membership struct {
		State string `json:"state"` // pending: invited, has not accepted
	}
	err := r.read(ctx, fmt.Sprintf("orgs/%s/teams/%s/memberships/%s", r.Owner, url.PathEscape(team), url.PathEscape(login)), &membership)
	if status(err) == http.StatusNotFound {
		return false, nil
	}
	return err == nil && membership.State == "active", err
}

// teamsUnread sorts out why a team could not be read. What a repository's owner
// can change is a reason that goes along with the rest of the answer, and not an
// error: to wait for it would hold up everybody's commands, also of those who need
// no team. Everything else is the error that it was.
func (r *repository) teamsUnread(team string, err error) (why string, _ error) {
	doing := "read who is in the team " + team
	if says(err, "not accessible by integration") {
		missing := &promotion.MissingPermission{Needed: "members=read", Doing: doing}
		return missing.Error(), nil
	}
	if err = r.api.classify(err, doing, false); promotion.IsTerminal(err) {
		return err.Error(), nil
	}
	return "", err
}

// read gets a path below the API's address, and decodes the answer.
func (r *repository) read(ctx context.Context, path string, into any) error {
	req, err := r.NewRequest(http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	_, err = r.Do(ctx, req, into)
	return err
}

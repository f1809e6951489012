package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-github/v57/github"
)

// registration is the App as GitHub shows it to itself.
type registration struct {
	github.App
	ClientID string `json:"client_id"`
}

// register reads the App's registration.
func (e *examination) register(ctx context.Context) (*registration, error) {
	var err error
	if e.github, err = e.asApp(); err != nil {
		return nil, err
	}
	req, err := e.github.NewRequest("GET", "app", nil)
	if err != nil {
		return nil, err
	}
	app := &registration{}
	_, err = e.github.Do(ctx, req, app)
	return app, err
}

// settingsPage is where the App's owner changes it; part is the end of its address, or empty.
func (e *examination) settingsPage(part string) string {
	path := "/settings/apps/" + e.app.GetSlug()
	if e.app.GetOwner().GetType() == "Organization" {
		path = "/organizations/" + e.app.GetOwner().GetLogin() + path
	}
	return e.Settings.WebURL + path + part
}

// lookAtDashboard sees that its settings are complete, and those of this App.
func (e *examination) lookAtDashboard(context.Context) {
	var missing []string
	for _, s := range []struct{ name, value string }{
		{"STAGECOACH_PUBLIC_URL", e.Settings.PublicURL}, {"GITHUB_OAUTH_CLIENT_ID", e.Settings.OAuthClientID}, {"GITHUB_OAUTH_CLIENT_SECRET", e.Settings.OAuthClientSecret},
	} {
		if s.value == "" {
			missing = append(missing, s.name)
		}
	}
	switch asked := e.Settings.OAuthClientID + e.Settings.OAuthClientSecret; {
	case asked == "":
		e.add(Check{Name: "dashboard", Status: OK, Message: "it is off: no OAuth settings are given"})
	case len(missing) > 0:
		e.add(Check{"dashboard", "", Warning, "it is off, although something for it is set", "Set " + strings.Join(missing, " and ") + " too."})
	case e.app == nil:
		e.add(Check{Name: "dashboard", Status: Skipped, Message: "without the App's credentials it is not known whose client ID is set"})
	case e.clientID != e.Settings.OAuthClientID:
		e.add(Check{"dashboard", "", Problem, fmt.Sprintf("GITHUB_OAUTH_CLIENT_ID is %s, and the App's is %s", e.Settings.OAuthClientID, e.clientID),
			"Set the App's client ID, and a client secret of the same App: " + e.settingsPage("")})
	default:
		e.add(Check{Name: "dashboard", Status: OK, Message: "its settings are complete, and of this App"})
	}
}

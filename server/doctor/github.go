package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/go-github/v57/github"
)

// How far our clock may be from GitHub's. A JWT says when it was made and ends
// after two minutes; GitHub refuses one from the future, and ours are dated back by
// half a minute.
// https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
const (
	mostAhead  = 25 * time.Second
	mostBehind = 80 * time.Second
	noticeable = 5 * time.Second
)

// lookAtGitHub asks the API's root, which answers anybody, and compares clocks.
func (e *examination) lookAtGitHub(ctx context.Context) {
	before := e.Now()
	resp, err := e.get(ctx, e.Settings.V3URL)
	if err != nil {
		e.add(Check{"github", e.Settings.V3URL, Problem, "it does not answer: " + err.Error(),
			"Check GITHUB_V3_API_URL, the name's address, proxies (HTTPS_PROXY) and certificates (SSL_CERT_FILE) on this machine."})
		return
	}
	after := e.Now()
	if resp.StatusCode >= 500 {
		e.add(Check{"github", e.Settings.V3URL, Warning, "it answers " + resp.Status, "Look at GitHub's status page; deliveries are kept meanwhile."})
	} else {
		e.add(Check{Name: "github", About: e.Settings.V3URL, Status: OK, Message: "it answers"})
	}
	e.add(clock(resp.Header.Get("Date"), before.Add(after.Sub(before)/2)))
}

// clock compares the Date of an answer, which has whole seconds, with our time in
// the middle of the request.
func clock(date string, now time.Time) Check {
	theirs, err := http.ParseTime(date)
	if err != nil {
		return Check{Name: "clock", Status: Skipped, Message: "GitHub's answer has no date"}
	}
	ahead := now.Sub(theirs.Add(500 * time.Millisecond)).Round(time.Second)
	const remedy = "Have this machine's clock set by NTP."
	way, by := "ahead of", ahead
	if ahead < 0 {
		way, by = "behind", -ahead
	}
	said := fmt.Sprintf("this machine's clock is %s %s GitHub's", by, way)
	switch {
	case ahead > mostAhead || -ahead > mostBehind:
		return Check{"clock", "", Problem, said + ": GitHub refuses what this machine signs", remedy}
	case by > noticeable:
		return Check{"clock", "", Warning, said, remedy}
	}
	return Check{Name: "clock", Status: OK, Message: "this machine's clock and GitHub's agree"}
}

// get sends a request without credentials. The body of the answer is closed.
func (e *examination) get(ctx context.Context, address string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "stagecoach/"+e.Version)
	resp, err := e.web.Do(req)
	if err != nil {
		return nil, err
	}
	return resp, resp.Body.Close()
}

// lookAtApp reads the App's registration with its own credentials.
func (e *examination) lookAtApp(ctx context.Context) {
	app, err := e.register(ctx)
	if err != nil {
		e.add(credentials(err))
		return
	}
	if app.GetID() != e.Settings.AppID {
		e.add(Check{"app", app.GetSlug(), Problem, fmt.Sprintf("the private key is that of App %d, and GITHUB_APP_INTEGRATION_ID is %d", app.GetID(), e.Settings.AppID),
			"Set both from the same App's settings page."})
		return
	}
	e.app, e.clientID = &app.App, app.ClientID
	e.add(Check{Name: "app", About: app.GetSlug(), Status: OK, Message: fmt.Sprintf("GitHub takes the private key for App %d", app.GetID())})
	e.add(permissionsCheck("permissions", "", "Add them: "+e.settingsPage("/permissions")+". GitHub then asks each owner to accept.", e.Permissions, granted(app.Permissions)))
	if lacks := missingEvents(e.Events, app.Events); len(lacks) > 0 {
		e.add(Check{"events", "", Problem, "the App is not subscribed to " + strings.Join(lacks, ", "), "Tick them below the permissions: " + e.settingsPage("/permissions")})
	} else {
		e.add(Check{Name: "events", Status: OK, Message: fmt.Sprintf("the App is subscribed to all %d events", len(e.Events))})
	}
}

// credentials says why GitHub did not take ours.
func credentials(err error) Check {
	var answer *github.ErrorResponse
	if !errors.As(err, &answer) || answer.Response == nil {
		return Check{"app", "", Problem, "the App's registration could not be read: " + err.Error(), "Mend what is said of github above, then run doctor again."}
	}
	switch answer.Response.StatusCode {
	case http.StatusUnauthorized, http.StatusNotFound:
		return Check{"app", "", Problem, "GitHub does not take the private key for this App: " + answer.Message,
			"Compare GITHUB_APP_INTEGRATION_ID with the App's settings page, and make a new private key there if the old one was deleted. See also clock."}
	}
	return Check{"app", "", Problem, "GitHub answers: " + answer.Message + " (" + answer.Response.Status + ")", "Run doctor again when GitHub answers."}
}

// granted turns go-github's struct of permissions back into GitHub's own names.
func granted(p *github.InstallationPermissions) map[string]string {
	out := map[string]string{}
	raw, err := json.Marshal(p)
	if err != nil || json.Unmarshal(raw, &out) != nil {
		return nil
	}
	return out
}

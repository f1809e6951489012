package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/go-github/v57/github"
	"github.com/palantir/go-githubapp/githubapp"
)

// lookAtWebhook reads where GitHub sends deliveries, and knocks there.
func (e *examination) lookAtWebhook(ctx context.Context) {
	if e.app == nil {
		e.add(Check{Name: "webhook", Status: Skipped, Message: "without the App's credentials its settings cannot be read"})
		return
	}
	hook, _, err := e.github.Apps.GetHookConfig(ctx)
	var answer *github.ErrorResponse
	switch {
	case errors.As(err, &answer) && answer.Response != nil && answer.Response.StatusCode == http.StatusNotFound:
		e.add(Check{"webhook", "", Problem, "the App has no webhook", "Switch it on, with the address of this server and " + githubapp.DefaultWebhookRoute + ": " + e.settingsPage("")})
		return
	case err != nil:
		e.add(Check{"webhook", "", Problem, "its settings cannot be read: " + err.Error(), "Run doctor again when GitHub answers."})
		return
	}
	checks := e.webhook(hook)
	if len(checks) == 0 {
		checks = append(checks, e.knock(ctx, hook.GetURL()))
	}
	e.add(checks...)
}

// webhook is what is wrong with its settings.
func (e *examination) webhook(hook *github.HookConfig) (wrong []Check) {
	at, err := url.Parse(hook.GetURL())
	switch {
	case err != nil || at.Host == "":
		wrong = append(wrong, Check{"webhook", hook.GetURL(), Problem, "it leads nowhere", "Run stagecoach setup with --public-url, or set the address of this server with " + githubapp.DefaultWebhookRoute + ": " + e.settingsPage("")})
	case !strings.HasSuffix(at.Path, githubapp.DefaultWebhookRoute):
		wrong = append(wrong, Check{"webhook", hook.GetURL(), Problem, "the server takes webhooks at " + githubapp.DefaultWebhookRoute + " alone", "Run stagecoach setup again, or change it: " + e.settingsPage("")})
	case e.Settings.PublicURL != "" && !strings.HasPrefix(hook.GetURL(), e.Settings.PublicURL+"/"):
		wrong = append(wrong, Check{"webhook", hook.GetURL(), Problem, "it leads to another place than STAGECOACH_PUBLIC_URL (" + e.Settings.PublicURL + ")", "Change one of them."})
	}
	if hook.GetSecret() == "" {
		wrong = append(wrong, Check{"webhook", hook.GetURL(), Problem, "it has no secret, so that every delivery is refused", "Run stagecoach setup again, or set GITHUB_APP_WEBHOOK_SECRET's value there: " + e.settingsPage("")})
	}
	if hook.GetInsecureSSL() == "1" {
		wrong = append(wrong, Check{"webhook", hook.GetURL(), Warning, "GitHub does not check the server's certificate: somebody between could read what it sends", "Switch SSL verification on: " + e.settingsPage("")})
	}
	return wrong
}

// knock asks whether a server is ready where the webhook leads. From here, which may
// not be the way that GitHub has.
func (e *examination) knock(ctx context.Context, hook string) Check {
	address := strings.TrimSuffix(hook, githubapp.DefaultWebhookRoute) + "/readyz"
	resp, err := e.get(ctx, address)
	switch {
	case err != nil:
		return Check{"webhook", hook, Warning, "seen from here nobody answers there: " + err.Error(), "Start the server, or let GitHub through to it. The check deliveries tells whether GitHub gets through."}
	case resp.StatusCode != http.StatusOK:
		return Check{"webhook", hook, Warning, address + " answers " + resp.Status, "Does the address lead to this server, and may it store (see its log)?"}
	}
	return Check{Name: "webhook", About: hook, Status: OK, Message: "a server is ready there"}
}

// lookAtDeliveries reads what became of the last deliveries.
func (e *examination) lookAtDeliveries(ctx context.Context) {
	if e.app == nil {
		e.add(Check{Name: "deliveries", Status: Skipped, Message: "without the App's credentials they cannot be listed"})
		return
	}
	list, _, err := e.github.Apps.ListHookDeliveries(ctx, &github.ListCursorOptions{PerPage: 50})
	switch {
	case err != nil:
		e.add(Check{"deliveries", "", Problem, "they cannot be listed: " + err.Error(), "Run doctor again when GitHub answers."})
	case len(list) == 0:
		e.add(Check{Name: "deliveries", Status: OK, Message: "GitHub has sent none in the last days"})
	default:
		e.add(e.deliveries(ctx, list))
	}
}

// deliveries judges the newest one, and counts those that failed before it.
func (e *examination) deliveries(ctx context.Context, list []*github.HookDelivery) Check {
	failed := 0
	for _, d := range list {
		if d.GetStatusCode()/100 != 2 {
			failed++
		}
	}
	last := list[0]
	said := fmt.Sprintf("of the last %d, %d did not get through", len(list), failed)
	if last.GetStatusCode()/100 == 2 {
		if failed == 0 {
			return Check{Name: "deliveries", Status: OK, Message: fmt.Sprintf("the last %d got through", len(list))}
		}
		return Check{Name: "deliveries", Status: OK, Message: said + "; the newest did. What was lost is asked for again"}
	}
	why, remedy := refusal(last.GetStatusCode())
	return Check{"deliveries", "", Problem, fmt.Sprintf("%s. The newest (%s, %s) failed: %s", said, last.GetEvent(), last.GetDeliveredAt().UTC().Format("2 Jan 15:04 UTC"), why), remedy}
}

// refusal says what an answer to a delivery means. 0: there was none.
func refusal(code int) (why, remedy string) {
	switch code {
	case http.StatusBadRequest:
		return "the server did not take its signature", "Run stagecoach setup again, or set the same secret as GITHUB_APP_WEBHOOK_SECRET and on the App's settings page; the old one goes into STAGECOACH_OLD_WEBHOOK_SECRETS for a while."
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return "nobody takes webhooks at that address", "Set the address of this server with " + githubapp.DefaultWebhookRoute + " on the App's settings page."
	case http.StatusUnauthorized, http.StatusForbidden:
		return "something before the server refused it", "Let " + githubapp.DefaultWebhookRoute + " through without sign-in: the server checks the signature itself."
	case http.StatusServiceUnavailable, http.StatusInternalServerError:
		return "the server could not store it", "Look at the server's log and at the check disk; a full disk is the usual cause."
	case 0, http.StatusBadGateway, http.StatusGatewayTimeout:
		return "GitHub could not reach the server", "Start the server, and let GitHub's addresses (https://api.github.com/meta, hooks) through to it."
	}
	return fmt.Sprintf("the answer was %d", code), "Look at the delivery on the App's settings page under Advanced."
}

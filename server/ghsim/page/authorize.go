package page

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// authorizePage asks whether an App may know who somebody is.
type authorizePage struct {
	ghsim.Authorization
	Query string // as it came, for the form
	Host  string // where the answer leads
}

// authorize is /login/oauth/authorize. Who said yes before is not asked again.
func (v *visit) authorize() error {
	q := v.r.URL.Query()
	ask, wrong, err := v.sim.Authorization(q, v.me)
	switch {
	case err != nil:
		return missing("The address is wrong: %v.", err)
	case wrong != "":
		return v.goTo(wrong)
	case ask.Given:
		return v.answer(v.sim.Authorize(q, v.me))
	}
	to, err := url.Parse(ask.Callback)
	if err != nil {
		return missing("The callback URL %q cannot be read.", ask.Callback)
	}
	// A form's answer may lead to another host only where the policy says so.
	origin := to.Scheme + "://" + to.Host
	v.w.Header().Set("Content-Security-Policy", strings.Replace(contentPolicy, "form-action 'self'", "form-action 'self' "+origin, 1))
	return v.show("authorize", "Authorize "+ask.App, "", authorizePage{Authorization: ask, Query: v.r.URL.RawQuery, Host: to.Host})
}

// consent is the answer to that page.
func (v *visit) consent() error {
	q, err := url.ParseQuery(v.r.PostForm.Get("query"))
	if err != nil {
		return failed(http.StatusBadRequest, "The form's query cannot be read.")
	}
	if v.r.PostForm.Get("answer") != "yes" {
		return v.answer(v.sim.Deny(q))
	}
	return v.answer(v.sim.Authorize(q, v.me))
}

func (v *visit) answer(to string, err error) error {
	if err != nil {
		return failed(http.StatusBadRequest, err.Error())
	}
	return v.goTo(to)
}

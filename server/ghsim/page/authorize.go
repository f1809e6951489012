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
	to, err := v.mayLeadTo(ask.Callback)
	if err != nil {
		return err
	}
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

// mayLeadTo lets the page's form lead to an address on another host, which the policy else forbids.
func (v *visit) mayLeadTo(address string) (*url.URL, error) {
	to, err := url.Parse(address)
	if err != nil {
		return nil, missing("The address %q cannot be read.", address)
	}
	v.w.Header().Set("Content-Security-Policy", strings.Replace(contentPolicy, "form-action 'self'", "form-action 'self' "+to.Scheme+"://"+to.Host, 1))
	return to, nil
}

func (v *visit) answer(to string, err error) error {
	if err != nil {
		return failed(http.StatusBadRequest, err.Error())
	}
	return v.goTo(to)
}

package ghsim

import "net/http"

func hookConfigRoutes() []route {
	return []route{
		{pattern: "GET /app/hook/config", docs: "apps/webhooks#get-a-webhook-configuration-for-an-app", auth: authJWT, free: true,
			run: func(c *call) reply { return ok(c.who.app.hookJSON()) }},
		{pattern: "PATCH /app/hook/config", docs: "apps/webhooks#update-a-webhook-configuration-for-an-app", auth: authJWT, free: true, run: changeHook},
	}
}

// hookJSON never shows the secret.
func (a *app) hookJSON() obj {
	out := obj{"url": a.hookURL, "content_type": "json", "insecure_ssl": "0"}
	if a.hookSecret != "" {
		out["secret"] = "********"
	}
	return out
}

// changeHook changes what is given and leaves the rest.
func changeHook(c *call) reply {
	var in struct {
		URL    *string `json:"url"`
		Secret *string `json:"secret"`
	}
	switch {
	case !c.decode(&in):
		return badJSON()
	case in.URL != nil && *in.URL == "":
		return fail(http.StatusUnprocessableEntity, "url can't be blank")
	}
	if in.URL != nil {
		c.who.app.hookURL = *in.URL
	}
	if in.Secret != nil {
		c.who.app.hookSecret = *in.Secret
	}
	return ok(c.who.app.hookJSON())
}

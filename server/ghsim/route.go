package ghsim

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// route is one served operation. pattern is a ServeMux pattern whose template is that of GitHub's API description.
type route struct {
	pattern  string
	docs     string // page and anchor below https://docs.github.com/rest/
	auth     authKind
	needs    string // an App's permissions as X-Accepted-GitHub-Permissions shows them: "a=write; b=write" is either
	role     role   // the least role of a person on the repository
	resource string // of the rate limit; empty: core
	free     bool   // not counted against the rate limit
	refs     bool   // moves refs: runs under the repository's push lock
	run      func(*call) reply
}

// template is the pattern as GitHub's API description writes it: no trailing "..." in a wildcard.
func (rt route) template() string { return strings.ReplaceAll(rt.pattern, "...}", "}") }

func (rt route) docsURL() string { return "https://docs.github.com/rest/" + rt.docs }

// call is one API request on its way through its handler, which runs under the simulator's mutex.
type call struct {
	*Sim
	route    *route
	r        *http.Request
	body     []byte
	who      principal
	underWay int         // requests of this credential, with this one
	repo     *repository // nil on routes without one
	now      time.Time
}

func (c *call) path(name string) string { return c.r.PathValue(name) }

func (c *call) query(name string) string { return c.r.URL.Query().Get(name) }

// id is a numeric path value; what is no number is 0, which nothing has.
func (c *call) id(name string) int64 {
	n, err := strconv.ParseInt(c.path(name), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// decode reads the request body into v. An empty body is an empty object.
func (c *call) decode(v any) bool {
	return len(c.body) == 0 || json.Unmarshal(c.body, v) == nil
}

// routeMuxes registers every route. The comment routes have a mux of their own, asked first: beside
// issues/{issue_number}/comments the ServeMux would find issues/comments/{comment_id} ambiguous.
func (s *Sim) routeMuxes() []*http.ServeMux {
	first, rest := http.NewServeMux(), http.NewServeMux()
	for _, rt := range commentRoutes() {
		first.Handle(rt.pattern, s.serveRoute(rt))
	}
	for _, rt := range plainRoutes() {
		rest.Handle(rt.pattern, s.serveRoute(rt))
	}
	graphQL := graphQLRoute()
	first.Handle(graphQL.pattern, s.serveRoute(graphQL))
	return []*http.ServeMux{first, rest}
}

func plainRoutes() []route {
	var all []route
	for _, group := range [][]route{
		appRoutes(), installationRoutes(), deliveryRoutes(), hookConfigRoutes(), peopleRoutes(), repoRoutes(), refRoutes(), gitDataRoutes(),
		issueRoutes(), checkRoutes(), suiteRoutes(), statusRoutes(), pullRoutes(), pullMoreRoutes(), reviewRoutes(), reviewerRoutes(), teamRoutes(), collaboratorRoutes(), labelRoutes(), ruleRoutes(), deploymentRoutes(), releaseRoutes(), dispatchRoutes(), rateRoutes(),
	} {
		all = append(all, group...)
	}
	return all
}

// allRoutes is what the simulator serves of the API.
func allRoutes() []route { return append(plainRoutes(), commentRoutes()...) }

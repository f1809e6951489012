package ghsim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// shared finds the directory of outside data beside the repository by walking up; "" when it is absent.
func shared() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		found := filepath.Join(dir, "shared")
		if _, err := os.Stat(filepath.Join(found, "github", "openapi-subset.json")); err == nil {
			return found
		}
	}
	return ""
}

// description is GitHub's own description of its API; nil when it is absent.
var description = sync.OnceValue(func() *openapi3.T {
	if shared() == "" {
		return nil
	}
	doc, err := openapi3.NewLoader().LoadFromFile(filepath.Join(shared(), "github", "openapi-subset.json"))
	if err != nil {
		panic(err)
	}
	// The list of installations spells its items out, with an account that must be a person and an enterprise at once (allOf);
	// the single installation has either (anyOf), which is meant.
	list := doc.Paths.Value("/app/installations").Get.Responses.Status(http.StatusOK).Value.Content.Get("application/json").Schema.Value
	list.Items = doc.Components.Schemas["installation"]
	return doc
})

// judge validates every API answer that passes through it against the description, and notes which operations it saw succeed.
type judge struct {
	next  http.RoundTripper
	mu    sync.Mutex
	seen  map[string]bool
	bad   []string
	muted bool
}

func (j *judge) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := j.next.RoundTrip(r)
	if err != nil || description() == nil || !strings.HasPrefix(r.URL.Path, "/api/v3/") {
		return resp, err
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	j.note(r, resp, body)
	return resp, nil
}

func (j *judge) note(r *http.Request, resp *http.Response, body []byte) {
	template, op := operation(r.Method, strings.TrimPrefix(r.URL.Path, "/api/v3"))
	var err error
	switch {
	case op == nil && undescribed(r) != "":
		template = undescribed(r)
		if resp.StatusCode >= 400 {
			err = basicError(body)
		}
	case op == nil:
		err = errors.New("GitHub's description has no such operation")
	case resp.Header.Get("Content-Length") == "" && resp.StatusCode != http.StatusNoContent && resp.StatusCode != http.StatusNotModified:
		err = errors.New("no Content-Length")
	case op.Responses.Status(resp.StatusCode) == nil && resp.StatusCode >= 400:
		err = basicError(body)
	default:
		err = valid(r, template, op, resp, body)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil && !j.muted {
		j.bad = append(j.bad, fmt.Sprintf("%s %s: %d: %v\n%s", r.Method, template, resp.StatusCode, err, body))
	}
	if resp.StatusCode < 300 {
		j.seen[r.Method+" "+template] = true
	}
}

// operation finds the template of a path: the one with the most literal text, of those that match.
func operation(method, path string) (string, *openapi3.Operation) {
	best, found := "", (*openapi3.Operation)(nil)
	for template, item := range description().Paths.Map() {
		op := item.GetOperation(method)
		if op == nil || !templatePattern(template).MatchString(path) || found != nil && literals(template) <= literals(best) {
			continue
		}
		best, found = template, op
	}
	return best, found
}

// outside are served routes that are in GitHub's description and not in the subset of it that is beside the checkout.
var outside = []string{
	"PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals",
	"POST /repos/{owner}/{repo}/dispatches",
	"GET /user",
	"GET /user/installations",
	"GET /user/installations/{installation_id}/repositories",
	"POST /repos/{owner}/{repo}/releases",
	"PATCH /repos/{owner}/{repo}/releases/{release_id}",
	"DELETE /repos/{owner}/{repo}/releases/{release_id}",
}

// undescribed is the template of a request outside the subset, "" for none.
func undescribed(r *http.Request) string {
	for _, route := range outside {
		method, template, _ := strings.Cut(route, " ")
		if method == r.Method && templatePattern(template).MatchString(strings.TrimPrefix(r.URL.Path, "/api/v3")) {
			return template
		}
	}
	return ""
}

var wildcard = regexp.MustCompile(`\\\{[a-z_]+\\\}`)

func templatePattern(template string) *regexp.Regexp {
	quoted := regexp.QuoteMeta(template)
	for _, open := range []string{`\{ref\}`, `\{branch\}`} {
		quoted = strings.ReplaceAll(quoted, open, ".+")
	}
	return regexp.MustCompile("^" + wildcard.ReplaceAllString(quoted, "[^/]+") + "$")
}

func literals(template string) int {
	return len(regexp.MustCompile(`\{[a-z_]+\}`).ReplaceAllString(template, ""))
}

func basicError(body []byte) error {
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return err
	}
	fields, _ := value.(map[string]any)
	if fields["message"] == nil || fields["documentation_url"] == nil {
		return errors.New("an error without message or documentation_url")
	}
	return description().Components.Schemas["basic-error"].Value.VisitJSON(value)
}

func valid(r *http.Request, template string, op *openapi3.Operation, resp *http.Response, body []byte) error {
	in := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, Route: &routers.Route{
			Spec: description(), Path: template, PathItem: description().Paths.Value(template), Method: r.Method, Operation: op,
		}},
		Status: resp.StatusCode, Header: resp.Header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}
	return openapi3filter.ValidateResponse(context.Background(), in)
}

// mute stops judging, for requests that GitHub has no operation for.
func (j *judge) mute() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.muted = true
}

package ghapi

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// classifyAnswer reads an answer of the API that is an error.
func classifyAnswer(e *github.ErrorResponse, doing string, fresh bool) error {
	switch code := e.Response.StatusCode; {
	case code == http.StatusForbidden:
		return classifyForbidden(e, doing)
	case code >= 500, code == http.StatusUnauthorized, code == http.StatusRequestTimeout, code == http.StatusConflict:
		return fmt.Errorf("%s: %w", doing, e)
	case fresh && (code == http.StatusNotFound || code == http.StatusUnprocessableEntity && namesUnknown(e)):
		return fmt.Errorf("%s: %w", doing, e)
	case code >= 400:
		return refused(e, doing)
	}
	return fmt.Errorf("%s: %w", doing, e)
}

// classifyForbidden tells apart what a 403 that is no rate limit may mean.
func classifyForbidden(e *github.ErrorResponse, doing string) error {
	said := strings.ToLower(e.Message)
	switch {
	case strings.Contains(said, "not accessible by integration"):
		needed := strings.ReplaceAll(e.Response.Header.Get("X-Accepted-GitHub-Permissions"), "; ", " or ")
		return &promotion.MissingPermission{Needed: needed, Doing: doing}
	case strings.Contains(said, "suspended"):
		return blocked(doing, "its installation is suspended; unsuspend it in the account's settings")
	case strings.Contains(said, "archived"):
		return blocked(doing, "the repository is archived")
	case strings.Contains(said, "ip allow list"):
		return blocked(doing, "the organization allows only some addresses (GitHub says: "+e.Message+"); add this server's")
	}
	return refused(e, doing)
}

// refused is an answer that asking again cannot change.
func refused(e *github.ErrorResponse, doing string) error {
	return promotion.Terminal(&said{fmt.Sprintf("could not %s: GitHub says: %s (%d)", doing, saying(e), e.Response.StatusCode), e})
}

// saying is GitHub's message with its details, which are where a 422 has them.
func saying(e *github.ErrorResponse) string {
	parts := []string{strings.TrimSuffix(e.Message, ".")}
	for _, d := range e.Errors {
		switch {
		case d.Message != "":
			parts = append(parts, d.Message)
		case d.Field != "":
			parts = append(parts, d.Field+" is "+strings.ReplaceAll(d.Code, "_", " "))
		}
	}
	return strings.Join(parts, ": ")
}

// namesUnknown reports whether a 422 is about a commit or branch that GitHub
// does not know, or not yet.
func namesUnknown(e *github.ErrorResponse) bool {
	if strings.Contains(e.Message, "No commit found") || strings.Contains(e.Message, "No ref found") {
		return true
	}
	for _, d := range e.Errors {
		if (d.Field == "head" || d.Field == "base" || d.Field == "head_sha") && (d.Code == "invalid" || d.Code == "missing") ||
			strings.Contains(d.Message, "can't be blank") && strings.Contains(strings.ToLower(d.Message), "sha") {
			return true
		}
	}
	return false
}

// status is the status of GitHub's answer that err is, or 0.
func status(err error) int {
	var answer *github.ErrorResponse
	if errors.As(err, &answer) && answer.Response != nil {
		return answer.Response.StatusCode
	}
	return 0
}

// says reports whether err is an answer of GitHub's with text in its message or details.
func says(err error, text string) bool {
	var answer *github.ErrorResponse
	return errors.As(err, &answer) && strings.Contains(strings.ToLower(saying(answer)), strings.ToLower(text))
}

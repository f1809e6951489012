package ghsim

import (
	"fmt"
	"net/http"
	"strconv"
)

// reply is an answer before it is written: what a handler decided.
type reply struct {
	status int
	body   any // nil: no body
	header http.Header
	unpaid bool // not charged to the primary limit
}

func ok(body any) reply { return reply{status: http.StatusOK, body: body} }

func created(body any) reply { return reply{status: http.StatusCreated, body: body} }

func noContent() reply { return reply{status: http.StatusNoContent} }

func (r reply) with(key, value string) reply {
	if r.header == nil {
		r.header = http.Header{}
	}
	r.header.Set(key, value)
	return r
}

// fieldError is one entry of the errors list of a 422.
type fieldError struct {
	Resource string `json:"resource"`
	Field    string `json:"field,omitempty"`
	Code     string `json:"code"`
	Message  string `json:"message,omitempty"`
	Value    any    `json:"value,omitempty"`
}

// fail is an error answer in GitHub's shape; the route adds documentation_url.
func fail(status int, message string) reply {
	return reply{status: status, body: obj{"message": message, "status": strconv.Itoa(status)}}
}

func failf(status int, format string, args ...any) reply {
	return fail(status, fmt.Sprintf(format, args...))
}

func notFound() reply { return fail(http.StatusNotFound, "Not Found") }

func badCredentials() reply { return fail(http.StatusUnauthorized, "Bad credentials") }

// invalid is a 422 with the fields that are wrong.
func invalid(errs ...fieldError) reply {
	return reply{status: http.StatusUnprocessableEntity, body: obj{
		"message": "Validation Failed", "errors": errs, "status": "422",
	}}
}

func custom(resource, field, message string) fieldError {
	return fieldError{Resource: resource, Field: field, Code: "custom", Message: message}
}

func badJSON() reply { return fail(http.StatusBadRequest, "Problems parsing JSON") }

// documented adds the documentation link that every error answer has.
func (r reply) documented(url string) reply {
	body, is := r.body.(obj)
	if is && r.status >= 400 && body["documentation_url"] == nil {
		body["documentation_url"] = url
	}
	return r
}

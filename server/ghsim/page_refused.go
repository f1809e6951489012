package ghsim

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Refused is the error of a Person whose request was answered with something else than 2xx. errors.As finds it.
type Refused struct {
	Method, Path, Login string
	Status              int
	// Body is the answer as it came, at most its first 1,000 bytes.
	Body string
}

func (e *Refused) Error() string {
	return fmt.Sprintf("%s %s as %s: %d %s", e.Method, e.Path, e.Login, e.Status, strings.TrimSpace(e.Body))
}

// Message is what GitHub says to people: the message of the answer with those of its field errors.
func (e *Refused) Message() string {
	var answer struct {
		Message string
		Errors  []fieldError
	}
	if err := json.Unmarshal([]byte(e.Body), &answer); err != nil || answer.Message == "" {
		return fmt.Sprintf("GitHub answered %d: %s", e.Status, strings.TrimSpace(e.Body))
	}
	parts := []string{answer.Message}
	for _, field := range answer.Errors {
		parts = append(parts, field.sentence())
	}
	return strings.Join(parts, ": ")
}

func (f fieldError) sentence() string {
	if f.Message != "" {
		return f.Message
	}
	return strings.TrimSpace(f.Field + " is " + strings.ReplaceAll(f.Code, "_", " "))
}

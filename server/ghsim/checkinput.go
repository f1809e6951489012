package ghsim

import (
	"fmt"
	"slices"
	"time"
	"unicode/utf8"
)

// The limits of check runs (docs.github.com, "REST API endpoints for check runs").
const (
	maxCheckText   = 65535
	maxActions     = 3
	maxAnnotations = 50
	maxLabel       = 20
	maxDescription = 40
	maxIdentifier  = 20
)

var conclusions = []string{"action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out"}

type checkInput struct {
	Name        *string        `json:"name"`
	HeadSHA     string         `json:"head_sha"`
	DetailsURL  *string        `json:"details_url"`
	ExternalID  *string        `json:"external_id"`
	Status      *string        `json:"status"`
	Conclusion  *string        `json:"conclusion"`
	StartedAt   *time.Time     `json:"started_at"`
	CompletedAt *time.Time     `json:"completed_at"`
	Output      *checkOutput   `json:"output"`
	Actions     *[]CheckAction `json:"actions"`
}

type checkOutput struct {
	Title       *string          `json:"title"`
	Summary     *string          `json:"summary"`
	Text        *string          `json:"text"`
	Annotations []map[string]any `json:"annotations"`
}

// CheckAction is a button of a check run.
type CheckAction struct {
	Label       string `json:"label"`
	Description string `json:"description"`
	Identifier  string `json:"identifier"`
}

// problems are what GitHub would refuse the input for.
func (in checkInput) problems(creating bool) []fieldError {
	var bad []fieldError
	add := func(field, format string, args ...any) {
		bad = append(bad, custom("CheckRun", field, fmt.Sprintf(format, args...)))
	}
	if in.Name != nil && *in.Name == "" || creating && in.Name == nil {
		add("name", "name can't be blank")
	}
	if in.Status != nil && !slices.Contains([]string{"queued", "in_progress", "completed"}, *in.Status) {
		add("status", "status %q is not allowed", *in.Status)
	}
	if in.Conclusion != nil && !slices.Contains(conclusions, *in.Conclusion) {
		add("conclusion", "conclusion %q is not allowed", *in.Conclusion)
	}
	if in.Conclusion == nil && (in.CompletedAt != nil || in.Status != nil && *in.Status == "completed") {
		add("conclusion", "conclusion is required when the check run is completed")
	}
	in.checkOutput(add)
	in.checkActions(add)
	return bad
}

func (in checkInput) checkOutput(add func(string, string, ...any)) {
	if in.Output == nil {
		return
	}
	if deref(in.Output.Summary) == "" {
		add("output[summary]", "summary is required with an output")
	}
	for field, text := range map[string]*string{"summary": in.Output.Summary, "text": in.Output.Text} {
		if utf8.RuneCountInString(deref(text)) > maxCheckText {
			add("output["+field+"]", "Only %d characters are allowed; %d were supplied.", maxCheckText, utf8.RuneCountInString(*text))
		}
	}
	if n := len(in.Output.Annotations); n > maxAnnotations {
		add("output[annotations]", "No more than %d items are allowed; %d were supplied.", maxAnnotations, n)
	}
	for i, a := range in.Output.Annotations {
		for _, key := range []string{"path", "start_line", "end_line", "annotation_level", "message"} {
			if a[key] == nil {
				add("output[annotations]", "annotation %d lacks %s", i, key)
			}
		}
	}
}

func (in checkInput) checkActions(add func(string, string, ...any)) {
	if in.Actions == nil {
		return
	}
	if n := len(*in.Actions); n > maxActions {
		add("actions", "No more than %d items are allowed; %d were supplied.", maxActions, n)
	}
	for _, a := range *in.Actions {
		checkActionText(add, "label", a.Label, maxLabel)
		checkActionText(add, "description", a.Description, maxDescription)
		checkActionText(add, "identifier", a.Identifier, maxIdentifier)
	}
}

func checkActionText(add func(string, string, ...any), field, text string, most int) {
	n := utf8.RuneCountInString(text)
	if n == 0 {
		add("actions", "%s can't be blank", field)
	}
	if n > most {
		add("actions", "%s: only %d characters are allowed; %d were supplied.", field, most, n)
	}
}

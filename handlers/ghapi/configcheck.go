package ghapi

import (
	"context"

	"github.com/google/go-github/v57/github"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/ledger"
)

// ConfigCheckName is the check run that says whether the pipeline files in a
// pull request can be read.
const ConfigCheckName = "stagecoach"

const (
	mostAnnotations = 50 // in one request; https://docs.github.com/en/rest/checks/runs#create-a-check-run
	maxAnnotation   = 4000
)

// ConfigCheck does an effect of the kind config-check: it writes what is wrong
// with the pipeline files at the head (Effect.SHA) of a pull request
// (Effect.Number), the first fifty problems beside their lines, and shows the pipelines
// that can be read. No problems: success.
func (a *API) ConfigCheck(ctx context.Context, t promotion.Task, problems []promotion.Problem, pipelines map[string]*promotion.Pipeline) promotion.Result {
	id, err := a.configCheck(ctx, t, problems, pipelines)
	result := promotion.Result{Effect: t.Effect.ID, CheckID: id}
	if err != nil {
		result.Err = a.classify(err, doing(t), a.fresh(t))
	}
	return result
}

func (a *API) configCheck(ctx context.Context, t promotion.Task, problems []promotion.Problem, pipelines map[string]*promotion.Pipeline) (int64, error) {
	r, err := a.repository(t.Repo)
	if err != nil {
		return 0, err
	}
	if t.Effect.Look {
		// One that is there holds all that it will: annotations of an update would
		// be added to those that it has.
		found, err := r.findCheck(ctx, t, ConfigCheckName, t.Effect.ID, t.Effect.SHA)
		if err != nil || found != nil {
			return found.GetID(), err
		}
	}
	heading, summary := ledger.ConfigCheck(problems, pipelines)
	body := &checkBody{
		Name: ConfigCheckName, HeadSHA: t.Effect.SHA, ExternalID: t.Effect.ID, Conclusion: "success",
		Output: output(heading, summary), Actions: actions(nil),
	}
	if len(problems) > 0 {
		body.Conclusion = "failure"
		body.Output.Annotations = annotations(problems)
	}
	return r.writeCheck(ctx, 0, body)
}

// annotations are the problems that have a place. A line of 0 means the whole
// file, which GitHub can show only at its first line.
func annotations(problems []promotion.Problem) []*github.CheckRunAnnotation {
	var out []*github.CheckRunAnnotation
	for _, p := range problems {
		if p.File == "" || len(out) == mostAnnotations {
			continue
		}
		line := max(p.Line, 1)
		a := &github.CheckRunAnnotation{
			Path: github.String(p.File), StartLine: &line, EndLine: &line,
			AnnotationLevel: github.String("failure"), Message: github.String(annotationText(p)),
		}
		if p.Line > 0 && p.Column > 0 {
			column := p.Column
			a.StartColumn, a.EndColumn = &column, &column
		}
		out = append(out, a)
	}
	return out
}

func annotationText(p promotion.Problem) string {
	text := p.Text
	if p.Suggestion != "" {
		text += "\nDid you mean " + p.Suggestion + "?"
	}
	if runes := []rune(text); len(runes) > maxAnnotation {
		text = string(runes[:maxAnnotation-1]) + "…"
	}
	return text
}

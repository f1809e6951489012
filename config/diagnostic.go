package config

import (
	"cmp"
	"fmt"
	"slices"
)

// The severities. An error keeps the pipeline from being used.
const (
	SeverityError   = "error"
	SeverityWarning = "warning"
)

// Diagnostic is one thing that is wrong with a pipeline file.
type Diagnostic struct {
	File       string `json:"file"`
	Line       int    `json:"line"`   // from 1
	Column     int    `json:"column"` // from 1, in characters
	Severity   string `json:"severity"`
	Message    string `json:"message"`
	Suggestion string `json:"suggestion,omitempty"` // the word that was probably meant
}

// String is FILE:LINE:COL: MESSAGE, as editors and terminals read it.
func (d Diagnostic) String() string {
	severity := ""
	if d.Severity == SeverityWarning {
		severity = "warning: "
	}
	return fmt.Sprintf("%s:%d:%d: %s%s", d.File, d.Line, d.Column, severity, d.Message)
}

// HasErrors reports whether one of them is an error.
func HasErrors(diagnostics []Diagnostic) bool {
	return slices.ContainsFunc(diagnostics, func(d Diagnostic) bool { return d.Severity == SeverityError })
}

// byPosition orders diagnostics as a reader meets them.
func byPosition(a, b Diagnostic) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Message, b.Message))
}

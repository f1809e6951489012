package expr_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stagecoach-app/stagecoach/promotion/expr"
)

func TestDocument(t *testing.T) {
	content := func() any {
		return map[string]any{"app": map[string]any{"port": 8080, "big": json.Number("18446744073709551615")}, "items": []any{"a", "b"}, "len": 1}
	}
	for name, tt := range map[string]struct{ source, want, err string }{
		"key":                 {source: "app.port", want: "8080"},
		"sum":                 {source: "app.port + len", want: "8081"},
		"digits":              {source: "app.big", want: "18446744073709551615"},
		"call of a name":      {source: "len(items)", want: "2"},
		"missing":             {source: "nothing", want: "null"},
		"missing member":      {source: "app.nothing", want: "null"},
		"missing in nothing":  {source: "nothing.deeper", err: `"deeper" cannot be read`},
		"all of it":           {source: `$env["app"].port`, want: "8080"},
		"let":                 {source: "let x = app.port; x - 80", want: "8000"},
		"functions of ours":   {source: `semverDiff("1.0.0", "1.1.0")`, want: `"Minor"`},
		"needs a promotion":   {source: `imageFrom("web")`, err: "imageFrom() is not there"},
		"the clock":           {source: "now()", err: "now() is not there"},
		"unknown function":    {source: "getenv('A')", err: `there is no "getenv"`},
		"variables of others": {source: "ctx", want: "null"},
		"too much":            {source: `len(repeat("a", 9999999)) + len(repeat("a", 9999999)) + len(repeat("a", 9999999)) + len(repeat("a", 9999999))`, err: "too much work"},
		"empty":               {source: "", err: "the expression is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := expr.NewDocument(content()).Value(tt.source)
			switch {
			case tt.err == "" && (err != nil || string(got) != tt.want):
				t.Errorf("got %s, %v, want %s", got, err, tt.want)
			case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
				t.Errorf("got %s, %v, want an error that says %s", got, err, tt.err)
			}
		})
	}
}

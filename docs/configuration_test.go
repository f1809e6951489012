package docs_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/promotion/expr"
	"github.com/stagecoach-app/stagecoach/promotion/window"
)

// schema is what this test reads of the schema for editors.
type schema struct {
	Properties map[string]schema
	Required   []string
	Items      *schema
	Enum       []string
	AnyOf      []schema
}

// keys lists the paths of all keys, with what the schema says of each.
func (s schema) keys(prefix string, into map[string]schema) {
	for name, p := range s.Properties {
		into[prefix+name] = p
		p.keys(prefix+name+".", into)
		if p.Items != nil {
			p.Items.keys(prefix+name+"[].", into)
		}
	}
}

// TestKeys compares the table of keys with the tables that files are checked by.
func TestKeys(t *testing.T) {
	var root schema
	must(t, json.Unmarshal(config.Schema(), &root))
	want := map[string]schema{}
	root.keys("", want)
	got := map[string]bool{}
	for _, row := range table(t, "configuration.md", "Keys") {
		key := ticked(row[0])[0]
		got[key] = true
		s, ok := want[key]
		if !ok {
			t.Errorf("the table has a key %s, which no file may have", key)
		}
		if s.Enum != nil && key != "stages[].steps[].uses" && !slices.Equal(s.Enum, ticked(row[1])) {
			t.Errorf("%s may be %v; the table says %v", key, s.Enum, ticked(row[1]))
		}
		if required := root.requires(key); required != (row[2] == "required") {
			t.Errorf("%s: required is %v, the table says %q", key, required, row[2])
		}
	}
	for key := range want {
		if !got[key] {
			t.Errorf("the key %s has no row", key)
		}
	}
}

// requires reports whether the object that holds the key cannot do without it.
func (s schema) requires(key string) bool {
	name, rest, deeper := strings.Cut(key, ".")
	if !deeper {
		return slices.Contains(s.Required, name) || len(s.AnyOf) > 0 && slices.Contains(s.AnyOf[0].Required, name)
	}
	name, isList := strings.CutSuffix(name, "[]")
	if next := s.Properties[name]; isList {
		return next.Items.requires(rest)
	}
	return s.Properties[name].requires(rest)
}

// TestWindowForms sees that windows may be written as the page shows, and that it
// shows each form.
func TestWindowForms(t *testing.T) {
	forms := table(t, "configuration.md", "Windows")
	if len(forms) < 8 {
		t.Errorf("only %d forms", len(forms))
	}
	for _, row := range forms {
		if err := window.CheckTimes(ticked(row[0])[0]); err != nil {
			t.Error(err)
		}
	}
}

// TestSettings compares the table of settings with what the server asks for, and
// with the keys that its file may have.
func TestSettings(t *testing.T) {
	asked := map[string]bool{}
	_, _ = config.Load("", func(name string) string { asked[name] = true; return "" }, nil)
	documented := map[string]bool{}
	for _, row := range table(t, "configuration.md", "Server settings") {
		variable, key := ticked(row[0])[0], ticked(row[1])[0]
		documented[variable], documented[variable+"_FILE"] = true, true
		if !asked[variable] {
			t.Errorf("the server knows no variable %s", variable)
		}
		for _, prefix := range []string{"", "github."} {
			if prefix != "" && !strings.HasPrefix(variable, "GITHUB_") {
				continue
			}
			if problem := inFile(prefix + key); strings.Contains(problem, "there is no setting") {
				t.Errorf("%s: %s", variable, problem)
			}
		}
	}
	for _, variable := range slices.Sorted(maps.Keys(asked)) {
		if !documented[variable] {
			t.Errorf("the variable %s has no row", variable)
		}
	}
}

// inFile is what the server says of a file that holds the key alone.
func inFile(key string) string {
	text, depth := "", 0
	for part := range strings.SplitSeq(key, ".") {
		text += strings.Repeat("  ", depth) + part + ":\n"
		depth++
	}
	text = strings.TrimSuffix(text, "\n") + " x\n"
	_, err := config.Load("settings.yml", func(string) string { return "" }, func(string) ([]byte, error) { return []byte(text), nil })
	return err.Error()
}

// TestExamples sees that each YAML block of the pages can be used as it is: whole
// pipeline files, lists of steps, settings.
func TestExamples(t *testing.T) {
	block := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```")
	count := 0
	for name, page := range pages(t) {
		for _, m := range block.FindAllStringSubmatch(page, -1) {
			count++
			if problem := usable(m[1]); problem != "" {
				t.Errorf("%s: %s, in\n%s", name, problem, m[1])
			}
		}
	}
	if count < 5 {
		t.Errorf("only %d examples found", count)
	}
}

// compiled is the schema for editors.
var compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(config.Schema()))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("stagecoach.json", document); err != nil {
		return nil, err
	}
	return compiler.Compile("stagecoach.json")
})

// editorSays is what an editor that knows the schema finds wrong with a pipeline file.
func editorSays(file string) error {
	schema, err := compiled()
	if err != nil {
		return err
	}
	var content any
	if err := yaml.Unmarshal([]byte(file), &content); err != nil {
		return err
	}
	raw, err := json.Marshal(content)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// usable says what is wrong with an example; empty: nothing.
func usable(example string) string {
	if !regexp.MustCompile(`(?m)^[^#\n]`).MatchString(example) {
		return "" // comments alone
	}
	if strings.HasPrefix(example, "- uses:") {
		example = "version: 1\nsources: [{name: app, git: {}}]\nstages:\n  - name: dev\n    deliver: none\n    steps:\n" +
			regexp.MustCompile(`(?m)^`).ReplaceAllString(example, "      ")
	}
	if strings.Contains(example, "version: 1") {
		_, found := config.ParseWith(".github/stagecoach.yml", []byte(example),
			config.Options{CheckExpression: expr.Check, CheckCondition: expr.CheckCondition, CheckDocument: expr.CheckDocument})
		if len(found) > 0 {
			return found[0].String()
		}
		if err := editorSays(example); err != nil {
			return "the schema: " + err.Error()
		}
		return ""
	}
	_, err := config.Load("settings.yml", os.Getenv, func(string) ([]byte, error) { return []byte(example), nil })
	if err != nil && (strings.Contains(err.Error(), "settings.yml") || strings.Contains(err.Error(), "_URL")) {
		return err.Error()
	}
	return ""
}

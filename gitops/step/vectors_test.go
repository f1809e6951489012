package step_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/gitops/step/steptest"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// vector is a case of the shared step vectors; their README says what the fields mean.
type vector struct {
	Name        string                     `json:"name"`
	Files       map[string]string          `json:"files"`
	Dirs        []string                   `json:"dirs"`
	Symlinks    map[string]string          `json:"symlinks"`
	Config      json.RawMessage            `json:"config"`
	WantFiles   map[string]string          `json:"want_files"`
	WantOutput  map[string]json.RawMessage `json:"want_output"`
	WantError   *string                    `json:"want_error"`
	Compare     string                     `json:"compare"`
	WantAbsent  []string                   `json:"want_absent"`
	WantLinks   map[string]string          `json:"want_symlinks"`
	WantExists  []string                   `json:"want_exists"`
	ChartRepo   map[string]string          `json:"chart_repo"`
	WantParsed  map[string]any             `json:"want_parsed"`
	WantEither  map[string]any             `json:"want_parsed_or_error"`
	AltErrorOK  bool                       `json:"alt_error_ok"`
	FreightRefs []struct {
		Images []struct{ RepoURL, Tag, Digest string } `json:"images"`
	} `json:"freight"`
}

func (v vector) freight() *promotion.Freight {
	f := &promotion.Freight{}
	for _, ref := range v.FreightRefs {
		for _, i := range ref.Images {
			f.Artifacts = append(f.Artifacts, promotion.Artifact{Source: i.RepoURL, Kind: "image", Repo: i.RepoURL, Tag: i.Tag, Digest: i.Digest})
		}
	}
	return f
}

func (v vector) workspace() *steptest.Workspace {
	ws := steptest.New(v.Files)
	ws.Empty = map[string]struct{}{}
	for _, dir := range v.Dirs {
		ws.Empty[dir] = struct{}{}
	}
	for link, target := range v.Symlinks {
		target = strings.NewReplacer("{{WORKDIR}}", "/work", "{{EXTERNAL}}", "/outside").Replace(target)
		ws.Files[link] = steptest.File{Content: target, Mode: step.ModeLink}
	}
	return ws
}

// withoutVectors are steps that the vectors have only configs of, or nothing.
var withoutVectors = []string{"compose-output", "fail", "git-clear", "hcl-update", "regex-update", "set-metadata", "sync"}

func TestVectors(t *testing.T) {
	dir := shared(t, "vectors/steps")
	for _, uses := range step.Names() {
		if slices.Contains(withoutVectors, uses) {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(dir, uses+".json"))
		if err != nil {
			t.Errorf("no vectors of %s: %v", uses, err)
			continue
		}
		var vectors []vector
		if err := json.Unmarshal(raw, &vectors); err != nil || len(vectors) == 0 {
			t.Fatalf("%s: %d vectors, %v", uses, len(vectors), err)
		}
		for _, v := range vectors {
			t.Run(uses+"/"+v.Name, func(t *testing.T) { runVector(t, uses, v) })
		}
	}
}

func runVector(t *testing.T, uses string, v vector) {
	if bytes.Contains(v.Config, []byte("${{")) {
		t.Fatal("the config holds an expression: it has to be evaluated first")
	}
	remote := v.serve(t)
	ws := v.workspace()
	before := ws.Contents()
	outcome, err := step.Run(t.Context(), ws, step.Task{Uses: uses, Config: v.Config, Freight: v.freight(), Remote: remote})
	if err != nil {
		if v.WantError == nil && !v.AltErrorOK && v.WantEither == nil {
			t.Fatalf("it failed: %v", err)
		}
		if !promotion.IsTerminal(err) {
			t.Errorf("the error is not Terminal: %v", err)
		}
		if diff := cmp.Diff(before, ws.Contents()); diff != "" || len(ws.Writes) > 0 {
			t.Errorf("it failed with %v and left\n%s", err, diff)
		}
		return
	}
	if v.WantError != nil {
		t.Fatalf("it succeeded, want an error about %q", *v.WantError)
	}
	after := ws.Contents()
	for name, want := range v.WantFiles {
		same(t, v.Compare, name, want, after[name])
	}
	for _, name := range v.WantExists {
		if _, err := ws.Stat(t.Context(), name); err != nil {
			t.Errorf("%s is not there: %v", name, err)
		}
	}
	for _, name := range v.WantAbsent {
		if _, err := ws.Stat(t.Context(), name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there (%v)", name, err)
		}
	}
	for link, target := range v.WantLinks {
		if after[link] != "-> "+target {
			t.Errorf("%s is %q, want a link to %s", link, after[link], target)
		}
	}
	for _, parsed := range []map[string]any{v.WantParsed, v.WantEither} {
		for name, want := range parsed {
			if diff := cmp.Diff(want, throughJSON(t, parseYAML(t, after[name]))); diff != "" {
				t.Errorf("%s parses to something else:\n%s", name, diff)
			}
		}
	}
	if v.WantOutput != nil {
		if diff := cmp.Diff(decoded(t, v.WantOutput), decoded(t, outcome.Output)); diff != "" {
			t.Errorf("output:\n%s", diff)
		}
	}
	if !strings.HasSuffix(outcome.Message, ".") {
		t.Errorf("the message %q is no sentence", outcome.Message)
	}
}

func same(t *testing.T, compare, name, want, got string) {
	t.Helper()
	switch compare {
	case "yaml-docs":
		less := func(a, b any) bool { return fmt.Sprint(a) < fmt.Sprint(b) }
		if diff := cmp.Diff(parseAll([]byte(want)), parseAll([]byte(got)), cmpopts.SortSlices(less)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	case "bytes":
		if got != want {
			t.Errorf("%s is\n%q\nwant\n%q", name, got, want)
		}
	case "yaml":
		if diff := cmp.Diff(parseYAML(t, want), parseYAML(t, got)); diff != "" && got != want {
			t.Errorf("%s:\n%s", name, diff)
		}
	case "json":
		if diff := cmp.Diff(parseJSON(t, want), parseJSON(t, got)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	case "toml":
		if diff := cmp.Diff(parseTOML(t, want), parseTOML(t, got)); diff != "" && got != want {
			t.Errorf("%s:\n%s", name, diff)
		}
	default:
		t.Fatalf("the comparison %q is not known here", compare)
	}
}

func parseYAML(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Errorf("%v in\n%s", err, text)
	}
	return v
}

// parseJSON keeps the digits of numbers; text that is no JSON is compared as it is.
func parseJSON(t *testing.T, text string) (v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return text
	}
	return v
}

func parseTOML(t *testing.T, text string) (v map[string]any) {
	t.Helper()
	if err := toml.Unmarshal([]byte(text), &v); err != nil {
		t.Errorf("%v in\n%s", err, text)
	}
	return v
}

// throughJSON makes values comparable with those that came from JSON.
func throughJSON(t *testing.T, v any) (out any) {
	t.Helper()
	raw, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func decoded(t *testing.T, output map[string]json.RawMessage) map[string]any {
	t.Helper()
	out := map[string]any{}
	for name, raw := range output {
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatal(err)
		}
		out[name] = v
	}
	return out
}

// TestConfigVectors: what a config may say, judged on its evaluated form.
func TestConfigVectors(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(shared(t, "vectors/steps"), "config-validation.json"))
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		Step, Name string
		Config     json.RawMessage
		Valid      bool
	}
	if err := json.Unmarshal(raw, &vectors); err != nil {
		t.Fatal(err)
	}
	elsewhere := map[string]string{
		"copy/ignore is empty string": "an expression may come out empty; as literal text `validate` judges it",
	}
	ours := map[string]bool{}
	for _, name := range step.Names() {
		ours[name] = true
	}
	for _, v := range vectors {
		if !ours[v.Step] {
			continue
		}
		t.Run(v.Step+"/"+v.Name, func(t *testing.T) {
			valid := v.Valid
			if elsewhere[v.Step+"/"+v.Name] != "" {
				valid = !valid
			}
			_, err := step.Run(t.Context(), steptest.New(nil), step.Task{Uses: v.Step, Config: v.Config})
			if about := err != nil && strings.Contains(err.Error(), "config of "+v.Step+" is wrong"); about == valid {
				t.Errorf("valid is %v, and the error: %v", valid, err)
			}
		})
	}
}

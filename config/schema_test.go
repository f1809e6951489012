package config_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/stagecoach-app/stagecoach/config"
	"github.com/stagecoach-app/stagecoach/promotion"
)

const schemaFile = "stagecoach.schema.json"

var update = flag.Bool("update", false, "write "+schemaFile+" anew")

// The schema in the repository is the one that the tables give.
func TestSchemaFile(t *testing.T) {
	if *update {
		if err := os.WriteFile(schemaFile, config.Schema(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, config.Schema()) {
		t.Errorf("%s is not what the tables give; run `go test ./config -run TestSchemaFile -update`", schemaFile)
	}
}

// The schema knows every step and key that the checker knows, and refuses others.
func TestSchemaKnowsSteps(t *testing.T) {
	var root map[string]any
	if err := json.Unmarshal(config.Schema(), &root); err != nil {
		t.Fatal(err)
	}
	stage := dig(t, root, "properties", "stages", "items", "properties")
	step := dig(t, stage, "steps", "items")
	if step["additionalProperties"] != false {
		t.Error("the schema takes unknown keys in a step")
	}
	rules := step["allOf"].([]any)
	if len(rules) != len(promotion.Kinds) {
		t.Fatalf("%d rules for %d steps", len(rules), len(promotion.Kinds))
	}
	for i, kind := range promotion.Kinds {
		rule := rules[i].(map[string]any)
		if got := dig(t, rule, "if", "properties", "uses")["const"]; got != kind.Uses {
			t.Errorf("rule %d is for %v, want %s", i, got, kind.Uses)
		}
		properties := dig(t, rule, "then", "properties", "config", "properties")
		for _, field := range kind.Config.Fields {
			if properties[field.Name] == nil {
				t.Errorf("%s: no %s", kind.Uses, field.Name)
			}
		}
	}
}

// judge validates files as an editor does that knows the schema.
func judge(t *testing.T) func(file string) error {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(config.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("stagecoach.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("stagecoach.json")
	if err != nil {
		t.Fatal(err)
	}
	return func(file string) error {
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
}

// What the checker takes the schema takes, and what a schema can say of a wrong
// file it says.
func TestSchemaJudgesFiles(t *testing.T) {
	says := judge(t)
	for name, file := range accepted {
		if err := says(file); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	stage := func(s string) string { return head + "stages:\n  - name: dev\n    " + s }
	step := func(s string) string { return stage("steps:\n      - " + s) }
	for name, file := range map[string]string{
		"an empty object": "{}", "no version": "share: [acme/app]\n", "another version": "version: 2\nshare: [acme/app]\n",
		"only a version": "version: 1\n", "sharing with nobody": "version: 1\nshare: []\n",
		"sharing and half a pipeline": "version: 1\nshare: [acme/app]\nstages: [{name: dev}]\n",
		"an unknown key":              head + "stagse: []\nstages: [{name: dev}]\n", "no stages": head, "no source": "version: 1\nsources: []\nstages: [{name: dev}]\n",
		"a source of two kinds": "version: 1\nsources: [{name: a, git: {}, release: {repo: acme/a}}]\nstages: [{name: dev}]\n",
		"a wrong type":          stage("after: dev"), "a wrong word": stage("deliver: comit"), "a wrong duration": stage("timeout: 3 days"),
		"an unknown step": step("uses: yaml-updat"), "no config": step("uses: copy"), "an unknown config key": step("{uses: copy, config: {inPath: a, outpath: b}}"),
		"a key without its fellow": step("{uses: copy, config: {inPath: a}}"), "a config of a wrong type": step("{uses: copy, config: {inPath: [a], outPath: b}}"),
		"an empty list": step("{uses: yaml-update, config: {path: a, updates: []}}"), "a list as value": step("{uses: yaml-update, config: {path: a, updates: [{key: a, value: [1]}]}}"),
		"two of one": step("{uses: delete, config: {path: a, paths: [b]}}"), "no values": step("{uses: set-metadata, config: {updates: [{kind: Stage, name: dev, values: {}}]}}"),
	} {
		if says(file) == nil {
			t.Errorf("%s: the schema takes\n%s", name, file)
		}
		if _, found := config.Parse(path, []byte(file)); !config.HasErrors(found) {
			t.Errorf("%s: the checker takes\n%s", name, file)
		}
	}
}

func dig(t *testing.T, from map[string]any, path ...string) map[string]any {
	t.Helper()
	for _, key := range path {
		next, ok := from[key].(map[string]any)
		if !ok {
			t.Fatalf("no %s in %v", key, path)
		}
		from = next
	}
	return from
}

package config_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

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

package step_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/gitops/step/steptest"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// The room runs exactly the steps that the vocabulary says edit files.
func TestNamesAreTheVocabulary(t *testing.T) {
	var want []string
	for _, kind := range promotion.Kinds {
		if kind.Class == promotion.ClassEdit {
			want = append(want, kind.Uses)
		}
	}
	if diff := cmp.Diff(want, step.Names()); diff != "" {
		t.Error(diff)
	}
}

func TestUnknownStep(t *testing.T) {
	_, err := step.Run(t.Context(), steptest.New(nil), step.Task{Uses: "yaml-updat"})
	if err == nil || !promotion.IsTerminal(err) || !strings.Contains(err.Error(), `did you mean "yaml-update"?`) {
		t.Errorf("got %v", err)
	}
}

// Configs are judged before the workspace is looked at.
func TestConfigs(t *testing.T) {
	for name, tt := range map[string]struct{ uses, config, want string }{
		"nothing":       {"copy", ``, "inPath is required; outPath is required"},
		"not JSON":      {"copy", `{`, "it is not JSON"},
		"a list":        {"copy", `[]`, "it is a list, it must be an object"},
		"null":          {"copy", `{"inPath":null,"outPath":"a"}`, "inPath is null, it must be a string"},
		"empty path":    {"copy", `{"inPath":"","outPath":"a"}`, "inPath is empty"},
		"near miss":     {"copy", `{"inPath":"a","outpath":"b"}`, `outpath is not a key that it knows (did you mean "outPath"?)`},
		"several":       {"copy", `{"inPath":1,"out":"b"}`, "inPath is an integer, it must be a string; outPath is required; out is not"},
		"nested":        {"yaml-update", `{"path":"a","updates":[{"key":"a","value":1,"creat":true}]}`, `updates.0.creat is not a key that it knows (did you mean "create"?)`},
		"no updates":    {"yaml-update", `{"path":"a","updates":[]}`, "updates is empty"},
		"no value":      {"yaml-update", `{"path":"a","updates":[{"key":"a"}]}`, "updates.0.value is required"},
		"list as value": {"yaml-update", `{"path":"a","updates":[{"key":"a","value":[1]}]}`, "updates.0.value is a list, it must be a string, a number, a boolean or null"},
		"create as text": {"yaml-update", `{"path":"a","updates":[{"key":"a","value":1,"create":"true"}]}`,
			"updates.0.create is a string, it must be a boolean"},
		"bad key": {"yaml-update", `{"path":"a","updates":[{"key":"a..b","value":1}]}`, `the key "a..b" cannot be read`},
		"twice":   {"kustomize-set-image", `{"path":".","images":[{"image":"a","tag":"1"},{"image":"a","tag":"2"}]}`, "the image a is to be set twice"},
	} {
		t.Run(name, func(t *testing.T) {
			ws := steptest.New(map[string]string{"a": "a: 1\n", "kustomization.yaml": "kind: Kustomization\n"})
			_, err := step.Run(t.Context(), ws, step.Task{Uses: tt.uses, Config: json.RawMessage(tt.config)})
			if err == nil || !promotion.IsTerminal(err) || !strings.Contains(err.Error(), tt.want) || len(ws.Writes) > 0 {
				t.Errorf("got %v\nwant a Terminal error that says %s", err, tt.want)
			}
		})
	}
}

// Bad files of every kind: a clear error, and the workspace untouched.
func TestBadFiles(t *testing.T) {
	configs := map[string]string{
		"yaml-update":         `{"path":"dir/kustomization.yaml","updates":[{"key":"a.b","value":1}]}`,
		"kustomize-set-image": `{"path":"dir","images":[{"image":"web","tag":"v1"}]}`,
	}
	for uses, config := range configs {
		for name, tt := range map[string]struct{ content, want string }{
			"binary":    {"\x7fELF\x00", "not UTF-8 text"},
			"huge":      {strings.Repeat("a: 1\n", 10<<20), "are not edited"},
			"invalid":   {"a: [", "not valid YAML"},
			"a scalar":  {"text", "single value"},
			"a list":    {"- a\n", "a list of 1"},
			"templated": {"{{ if .Values.a }}\na: 1\n{{ end }}\n", "not valid YAML"},
		} {
			t.Run(uses+"/"+name, func(t *testing.T) {
				ws := steptest.New(map[string]string{"dir/kustomization.yaml": tt.content})
				_, err := step.Run(t.Context(), ws, step.Task{Uses: uses, Config: json.RawMessage(config)})
				if err == nil || !promotion.IsTerminal(err) || !strings.Contains(err.Error(), tt.want) || len(ws.Writes) > 0 {
					t.Errorf("got %.300v\nwant a Terminal error that says %s", err, tt.want)
				}
			})
		}
	}
}

// A workspace that cannot be read or written may work the next time.
func TestWorkspaceErrorsMayPass(t *testing.T) {
	broken := errors.New("connection reset")
	for name, tt := range map[string]struct{ uses, config, at string }{
		"read":     {"yaml-update", `{"path":"d/kustomization.yaml","updates":[{"key":"a","value":2}]}`, "d/kustomization.yaml"},
		"folder":   {"yaml-update", `{"path":"d/kustomization.yaml","updates":[{"key":"a","value":2}]}`, "d"},
		"images":   {"kustomize-set-image", `{"path":"d","images":[{"image":"web","tag":"v1"}]}`, "d/kustomization.yaml"},
		"list":     {"kustomize-set-image", `{"path":"d","images":[{"image":"web","tag":"v1"}]}`, "d"},
		"copy in":  {"copy", `{"inPath":"d","outPath":"out"}`, "d/kustomization.yaml"},
		"copy out": {"copy", `{"inPath":"d","outPath":"out"}`, "out/kustomization.yaml"},
		"delete":   {"delete", `{"path":"d"}`, "d"},
		"glob":     {"delete", `{"path":"d/*","pathsAreGlobs":true}`, "d"},
		"write":    {"file-write", `{"path":"d/new","contents":"x"}`, "d/new"},
		"clear":    {"git-clear", `{"path":"."}`, "."},
		"sync in":  {"sync", `{"inPath":"d","outPath":"out"}`, "d/kustomization.yaml"},
		"sync out": {"sync", `{"inPath":"d","outPath":"out"}`, "out"},
		"merge":    {"yaml-merge", `{"inFiles":["z","x"],"outFile":"out","ignoreMissingFiles":true}`, "x"},
	} {
		t.Run(name, func(t *testing.T) {
			ws := steptest.New(map[string]string{"d/kustomization.yaml": "a: 1\n", "z": "1"})
			ws.Fail = map[string]error{tt.at: broken}
			_, err := step.Run(t.Context(), ws, step.Task{Uses: tt.uses, Config: json.RawMessage(tt.config)})
			if !errors.Is(err, broken) || promotion.IsTerminal(err) || !strings.Contains(err.Error(), tt.at) {
				t.Errorf("got %v, want %v about %s, not Terminal", err, broken, tt.at)
			}
		})
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ws := steptest.New(map[string]string{"a": "1"})
	_, err := step.Run(ctx, ws, step.Task{Uses: "copy", Config: json.RawMessage(`{"inPath":"a","outPath":"b"}`)})
	if !errors.Is(err, context.Canceled) || len(ws.Writes) > 0 {
		t.Errorf("got %v and writes %q", err, ws.Writes)
	}
}

func TestMessages(t *testing.T) {
	for name, tt := range map[string]struct{ uses, config, want string }{
		"set":      {"yaml-update", `{"path":"v.yaml","updates":[{"key":"a","value":"x"},{"key":"b","value":"1.10"}]}`, `Set a: x, b: "1.10" in v.yaml.`},
		"nothing":  {"yaml-update", `{"path":"v.yaml","updates":[{"key":"a","value":1}]}`, "v.yaml holds these values already."},
		"image":    {"kustomize-set-image", `{"path":"k","images":[{"image":"web","tag":"v1"}]}`, "Set web:v1 in k/kustomization.yaml."},
		"no image": {"kustomize-set-image", `{"path":"k","images":[{"image":"api","tag":"v1"}]}`, "k/kustomization.yaml names these images already."},
		"copy":     {"copy", `{"inPath":"k","outPath":"l"}`, "Copied k to l (1 file)."},
		"delete":   {"delete", `{"paths":["k","v.yaml"]}`, "Deleted k, v.yaml."},
		"gone":     {"delete", `{"path":"x"}`, "There was nothing to delete."},
		"write":    {"file-write", `{"path":"f","contents":"é"}`, "Wrote f (2 bytes)."},
		"written":  {"file-write", `{"path":"v.yaml","contents":"a: 1\nb: 2\n"}`, "v.yaml holds these contents already."},
		"clear":    {"git-clear", `{"path":"."}`, "Cleared the root."},
		"compose":  {"compose-output", `{"b":1,"a":2}`, "Composed a, b."},
		"read":     {"yaml-parse", `{"path":"v.yaml","outputs":[{"name":"n","fromExpression":"a"}]}`, "Read n from v.yaml."},
		"regex":    {"regex-update", `{"path":"v.yaml","updates":[{"pattern":"a: (.)","value":2}]}`, "Set a: (.): 2 in v.yaml."},
		"sync":     {"sync", `{"inPath":"k","outPath":"l"}`, "Synced l with k (1 file written, 0 paths deleted)."},
		"merge":    {"yaml-merge", `{"inFiles":["v.yaml","v.yaml"],"outFile":"w"}`, "Merged v.yaml, v.yaml to w."},
	} {
		ws := steptest.New(map[string]string{"v.yaml": "a: 1\nb: 2\n", "k/kustomization.yaml": "images:\n- name: api\n  newTag: v1\n"})
		outcome, err := step.Run(t.Context(), ws, step.Task{Uses: tt.uses, Config: json.RawMessage(tt.config)})
		if err != nil || outcome.Message != tt.want {
			t.Errorf("%s: got %q, %v, want %q", name, outcome.Message, err, tt.want)
		}
	}
}

// What git-go's trees may hold and a folder on disk may not.
func TestCopyOddEntries(t *testing.T) {
	run := func(ws *steptest.Workspace, config string) error {
		_, err := step.Run(t.Context(), ws, step.Task{Uses: "copy", Config: json.RawMessage(config)})
		return err
	}
	ws := steptest.New(map[string]string{"in/.git/config": "x", "in/a": "1"})
	if err := run(ws, `{"inPath":"in","outPath":"out"}`); err != nil || !slices.Equal(ws.Writes, []string{"out/a"}) {
		t.Errorf("got %v and writes %q", err, ws.Writes)
	}
	ws.Files["in/vendor"] = steptest.File{Mode: step.ModeSubmodule}
	if err := run(ws, `{"inPath":"in","outPath":"out2"}`); err == nil || !strings.Contains(err.Error(), "in/vendor is a submodule") {
		t.Errorf("got %v", err)
	}
	if err := run(ws, `{"inPath":"in","outPath":"out2","ignore":"vendor"}`); err != nil || ws.Files["out2/a"].Content != "1" {
		t.Errorf("got %v and %v", err, ws.Contents())
	}
	loop := steptest.New(nil)
	loop.Files["l"] = steptest.File{Content: "l", Mode: step.ModeLink}
	if err := run(loop, `{"inPath":"l/x","outPath":"out"}`); err == nil || !strings.Contains(err.Error(), "more than 40 links") {
		t.Errorf("got %v", err)
	}
}

// behindLink is a workspace where nothing can be looked at behind a link that leads out.
type behindLink struct{ *steptest.Workspace }

func (w behindLink) Stat(ctx context.Context, p string) (step.Entry, error) {
	if f, ok := w.Files["out/x"]; ok && f.Mode == step.ModeLink && strings.HasPrefix(p, "out/x/") {
		return step.Entry{}, promotion.Terminal(errors.New("out/x leads out of the workspace"))
	}
	return w.Workspace.Stat(ctx, p)
}

// A link in the place of a folder goes with what is gone, wherever it leads.
func TestSyncOverALink(t *testing.T) {
	ws := behindLink{steptest.New(map[string]string{"in/x/y": "1"})}
	ws.Files["out/x"] = steptest.File{Content: "../../..", Mode: step.ModeLink}
	_, err := step.Run(t.Context(), ws, step.Task{Uses: "sync", Config: json.RawMessage(`{"inPath": "in", "outPath": "out"}`)})
	if err != nil || ws.Files["out/x/y"].Content != "1" || ws.Files["out/x"].Mode != 0 {
		t.Errorf("%v, and there is %v", err, ws.Files)
	}
}

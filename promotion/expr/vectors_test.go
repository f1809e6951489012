package expr

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// vector is one case of the shared vectors; see their README.
type vector struct {
	Name       string                     `json:"name"`
	Config     json.RawMessage            `json:"config"`
	Env        map[string]json.RawMessage `json:"env"`
	Evaluate   string                     `json:"evaluate"`
	Step       vectorStep                 `json:"step"`
	Context    vectorContext              `json:"context"`
	WantOutput json.RawMessage            `json:"want_output"`
	AltOutput  []json.RawMessage          `json:"alt_output"`
	WantError  *string                    `json:"want_error"`
	AltError   bool                       `json:"alt_error_ok"`
}

type vectorStep struct {
	Alias string
	If    string
	Vars  []vectorVar
}

type vectorVar struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

type vectorContext struct {
	Project       string                     `json:"project"`
	Stage         string                     `json:"stage"`
	Promotion     string                     `json:"promotion"`
	Actor         string                     `json:"actor"`
	Vars          []vectorVar                `json:"vars"`
	Outputs       map[string]json.RawMessage `json:"outputs"`
	TargetFreight struct {
		Name   string `json:"name"`
		Origin struct {
			Name string `json:"name"`
		} `json:"origin"`
	} `json:"targetFreight"`
	Freight struct {
		Items map[string]struct {
			Origin struct {
				Name string `json:"name"`
			} `json:"origin"`
			Commits []struct{ RepoURL, ID string }            `json:"commits"`
			Images  []struct{ RepoURL, Tag string }           `json:"images"`
			Charts  []struct{ RepoURL, Name, Version string } `json:"charts"`
		} `json:"items"`
	} `json:"freight"`
	StepMetas []struct {
		Alias           string `json:"alias"`
		Status          string `json:"status"`
		ContinueOnError bool   `json:"continueOnError"`
	} `json:"stepMetas"`
}

// refused are vectors of features that Stagecoach does not have: names that do not
// exist are errors.
var refused = map[string]string{
	"vars: step vars referencing task outputs": "promotion tasks are Kargo's; Stagecoach has no task",
	"skip: if condition uses task outputs":     "promotion tasks are Kargo's; Stagecoach has no task",
}

func TestVectors(t *testing.T) {
	for _, file := range []string{"expressions", "functions", "step-evaluation"} {
		for _, v := range vectors(t, file) {
			t.Run(file+"/"+v.Name, func(t *testing.T) {
				got, err := v.run(t)
				if why := refused[v.Name]; why != "" {
					if err == nil {
						t.Errorf("it gave %s, though %s", got, why)
					}
					return
				}
				v.judge(t, got, err)
			})
		}
	}
}

func (v vector) run(t *testing.T) (json.RawMessage, error) {
	t.Helper()
	ev := v.evaluation(t)
	switch {
	case v.Evaluate == "vars":
		return v.vars(ev)
	case v.Evaluate == "skip":
		if _, err := v.vars(ev); err != nil {
			return nil, err
		}
		run, err := v.condition(ev)
		return mustJSON(t, !run), err
	case v.Context.StepMetas != nil && v.Evaluate == "":
		run, err := v.condition(ev)
		return mustJSON(t, map[string]bool{"run": run}), err
	case strings.Contains(string(v.Config), "__raw__"):
		return ev.value(json.RawMessage(`{ "key": ${{ true }} }`))
	}
	if _, err := v.vars(ev); err != nil {
		return nil, err
	}
	if string(v.Config) == "null" {
		v.Config = nil
	}
	return ev.value(v.Config)
}

// vars are the vars of the promotion with those of the step on top.
func (v vector) vars(ev *evaluation) (json.RawMessage, error) {
	for _, list := range [][]vectorVar{v.Context.Vars, v.Step.Vars} {
		vars := map[string]json.RawMessage{}
		for _, x := range list {
			vars[x.Name] = x.Value
		}
		resolved, err := ev.resolve(vars)
		if err != nil {
			return nil, err
		}
		ev.env.Vars = resolved
	}
	return json.Marshal(ev.env.Vars)
}

func (v vector) condition(ev *evaluation) (bool, error) {
	condition := v.Step.If
	var config struct{ If string }
	if json.Unmarshal(v.Config, &config) == nil && config.If != "" {
		condition = config.If
	}
	return ev.condition(condition)
}

// evaluation has the names of the vector: its env as variables, and outputs,
// which in the vectors may be plain values without a step.
func (v vector) evaluation(t *testing.T) *evaluation {
	t.Helper()
	env := v.environment()
	ev, err := newEvaluation(env)
	if err != nil {
		t.Fatal(err)
	}
	for name, raw := range v.Env {
		if ev.scope[name], err = decode(raw); err != nil {
			t.Fatal(err)
		}
	}
	if ev.scope["outputs"], err = decodeMembers(v.Context.Outputs); err != nil {
		t.Fatal(err)
	}
	return ev
}

func (v vector) environment() Env {
	c := v.Context
	env := Env{
		Repo: promotion.Repo{Owner: "acme", Name: c.Project}, Stage: c.Stage, Promotion: c.Promotion,
		RequestedBy: c.Actor, Pipeline: c.TargetFreight.Origin.Name,
		Freight: &promotion.Freight{ID: c.TargetFreight.Name},
	}
	for name, item := range c.Freight.Items {
		_, name, _ = strings.Cut(name, "/")
		for _, x := range item.Commits {
			env.Freight.Artifacts = append(env.Freight.Artifacts, promotion.Artifact{Source: name, Kind: "git", Repo: x.RepoURL, Commit: x.ID})
		}
		for _, x := range item.Images {
			env.Freight.Artifacts = append(env.Freight.Artifacts, promotion.Artifact{Source: name, Kind: "image", Repo: x.RepoURL, Tag: x.Tag})
		}
		for _, x := range item.Charts {
			repo := strings.TrimSuffix(x.RepoURL+"/"+x.Name, "/")
			env.Freight.Artifacts = append(env.Freight.Artifacts, promotion.Artifact{Source: name, Kind: "chart", Repo: repo, Tag: x.Version})
		}
	}
	for _, m := range c.StepMetas {
		phase := promotion.StepPhase(strings.ToLower(m.Status))
		env.Steps = append(env.Steps, StepStatus{Alias: m.Alias, Phase: phase, ContinueOnError: m.ContinueOnError})
	}
	return env
}

func (v vector) judge(t *testing.T, got json.RawMessage, err error) {
	t.Helper()
	switch {
	case v.WantError != nil && err == nil:
		t.Fatalf("got %s, want an error about %q", got, *v.WantError)
	case v.WantError != nil || err != nil && v.AltError:
		return
	case err != nil:
		t.Fatal(err)
	}
	diff := cmp.Diff(tree(t, v.WantOutput), tree(t, got))
	for _, alt := range v.AltOutput {
		if cmp.Equal(tree(t, alt), tree(t, got)) {
			return
		}
	}
	if diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func vectors(t *testing.T, name string) []vector {
	t.Helper()
	raw, err := os.ReadFile(shared(t, "vectors", "steps", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []vector
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// shared finds a file of the shared folder beside the repository.
func shared(t *testing.T, path ...string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		file := filepath.Join(append([]string{dir, "shared"}, path...)...)
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	t.Skipf("the shared vectors (%s) are not beside this repository; the tables of this package stand alone", filepath.Join(path...))
	return ""
}

func mustJSON(t *testing.T, value any) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// tree reads JSON for comparison, numbers as float64: 3 and 3.0 are the same.
func tree(t *testing.T, raw json.RawMessage) any {
	t.Helper()
	var out any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
	return out
}

package expr_test

import (
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/promotion"
	"github.com/stagecoach-app/stagecoach/promotion/expr"
)

const sha = "9e1c2ab0000000000000000000000000000000ff"

// environment is a promotion to prod whose first step opened a pull request.
func environment() expr.Env {
	env := expr.Env{
		Repo:     promotion.Repo{Owner: "acme", Name: "platform"},
		Pipeline: "default", Stage: "prod", Promotion: "prod.01abc.9e1c2ab", Branch: "main", RequestedBy: "octocat",
		Freight: promotion.NewFreight([]promotion.Artifact{
			{Source: "config", Kind: "git", Repo: "Acme/Config", Branch: "main", Commit: sha, Title: "Fix totals", Author: "hubot"},
			{Source: "my-app", Kind: "git", Repo: "acme/app", Branch: "main", Commit: sha},
			{Source: "web", Kind: "image", Repo: "docker.io/library/nginx", Tag: "1.10", Digest: "sha256:ab"},
			{Source: "chart", Kind: "chart", Repo: "oci://ghcr.io/acme/charts/web", Tag: "2.0.1"},
		}, 7, time.Time{}),
		Vars: map[string]json.RawMessage{
			"team": json.RawMessage(`"platform"`), "replicas": json.RawMessage(`3`), "ratio": json.RawMessage(`0.5`),
			"big": json.RawMessage(`9007199254740993`), "huge": json.RawMessage(`123456789012345678901234567890`),
			"nothing": json.RawMessage(`null`), "image": json.RawMessage(`{"tag":"1.10","ports":[80,443]}`),
			"repo-url": json.RawMessage(`"git@github.com:acme/config.git"`),
		},
		Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	env.State = &promotion.State{Pipelines: map[string]*promotion.PipelineState{"default": {
		Freight: []*promotion.Freight{env.Freight},
		Stages:  map[string]*promotion.StageState{"prod": {Metadata: promotion.Metadata{"region": json.RawMessage(`"eu"`)}}, "dev": {}},
	}}}
	env.Freight.Metadata = promotion.Metadata{"tested": json.RawMessage(`true`), "n": json.RawMessage(`9007199254740993`), "by": json.RawMessage(`{"who":["hubot"]}`)}
	env.AddSteps([]promotion.Step{{Uses: "git-open-pr", As: "open-pr"}, {Uses: "copy"}, {Uses: "copy"}}, []promotion.StepState{
		{Phase: promotion.StepSucceeded, Output: map[string]json.RawMessage{"pr": json.RawMessage(`{"id":42,"url":"https://x"}`)}},
		{Phase: promotion.StepSkipped},
		{Phase: promotion.StepRunning},
	})
	return env
}

func TestEvaluate(t *testing.T) {
	tests := []struct{ in, want string }{
		{``, `{}`},
		{`{"a":1.50,"b":12345678901234567890123,"c":null,"d":[true]}`, `{"a":1.50,"b":12345678901234567890123,"c":null,"d":[true]}`},
		{`"plain <b> & 1.10"`, `"plain <b> & 1.10"`},
		{`"${{ vars.replicas }}"`, `3`},
		{`" ${{ vars.replicas }}\n"`, `3`},
		{`"${{ vars.big }}"`, `9007199254740993`},
		{`"${{ vars.big + 1 }}"`, `9007199254740994`},
		{`"${{ vars.huge }}"`, `123456789012345678901234567890`},
		{`"n=${{ vars.huge }}"`, `"n=123456789012345678901234567890"`},
		{`"${{ fromJSON('9007199254740993') }}"`, `9007199254740993`},
		{`"${{ vars.ratio * 2 }}"`, `1`},
		{`"${{ 30000000 * 1.0 }}"`, `30000000`},
		{`"${{ vars.image.tag }}"`, `"1.10"`},
		{`"${{ vars['repo-url'] }}"`, `"git@github.com:acme/config.git"`},
		{`"v${{ vars.image.tag }}-${{ vars.replicas }}"`, `"v1.10-3"`},
		{`"${{ vars.image }}"`, `{"ports":[80,443],"tag":"1.10"}`},
		{`"x${{ vars.image.ports }}"`, `"x[80,443]"`},
		{`"${{ vars.image.ports[-1] }}"`, `443`},
		{`"${{ vars.nothing }}"`, `null`},
		{`"${{ vars.image.nope }}"`, `null`},
		{`"${{ vars.nope ?? 'dflt' }}"`, `"dflt"`},
		{`"${{ outputs.nope.pr.id ?? 1 }}"`, `1`},
		{`"${{ outputs.nope?.pr.id }}"`, `null`},
		{`"${{ nope ?? nope2 ?? 5 }}"`, `5`},
		{`"${{ outputs['open-pr'].pr.id }}"`, `42`},
		{`"${{ ctx.project }}/${{ ctx.stage }} ${{ ctx.repo }} ${{ ctx.branch }} ${{ ctx.meta.promotion.actor }}"`, `"platform/prod acme/platform main octocat"`},
		{`"${{ ctx.repoURL }}"`, `"https://github.com/acme/platform.git"`},
		{`"${{ freight.web.tag + '@' + freight.web.digest }}"`, `"1.10@sha256:ab"`},
		{`"${{ freight['my-app'].commit }}"`, `"` + sha + `"`},
		{`"${{ freight.chart }}"`, `{"name":"web","repo":"oci://ghcr.io/acme/charts/web","version":"2.0.1"}`},
		{`"${{ freight.config }}"`, `{"branch":"main","commit":"` + sha + `","repo":"Acme/Config"}`},
		{`"${{ commitFrom('https://github.com/acme/config.git') }}"`,
			`{"author":"hubot","branch":"main","committer":"hubot","id":"` + sha + `","message":"Fix totals","repoURL":"https://github.com/Acme/Config.git"}`},
		{`"${{ commitFrom('acme/config', warehouse('default')).Branch }}"`, `"main"`},
		{`"${{ commitFrom('acme/config', warehouse('config')).Branch }}"`, `"main"`},
		{`"${{ commitFrom('acme/config', warehouse('other')) }}"`, `null`},
		{`"${{ commitFrom('acme/nope')?.ID ?? 'none' }}"`, `"none"`},
		{`"${{ freightMetadata(ctx.targetFreight.name) }}"`, `{"by":{"who":["hubot"]},"n":9007199254740993,"tested":true}`},
		{`"${{ freightMetadata(ctx.targetFreight.alias).by.who[0] }}"`, `"hubot"`},
		{`"${{ freightMetadata().tested && freightMetadata()['n'] > 1 }}"`, `true`},
		{`"${{ freightMetadata().nope ?? 'none' }}"`, `"none"`},
		{`"${{ freightMetadata('nobody')?.a ?? 'unknown' }}"`, `"unknown"`},
		{`"${{ stageMetadata().region + stageMetadata(ctx.stage).region }}"`, `"eueu"`},
		{`"${{ stageMetadata('dev')?.config?.settings?.timeoutSeconds ?? 300 }}"`, `300`},
		{`"${{ stageMetadata('dev') }}"`, `{}`},
		{`"${{ imageFrom('nginx').Tag }}"`, `"1.10"`},
		{`"${{ chartFrom('oci://ghcr.io/acme/charts', 'web').Version }}"`, `"2.0.1"`},
		{`"${{ semverParse('v1.2.3').IncMinor().String() }}"`, `"1.3.0"`},
		{`"${{ semverParse('1.2.3').Major() + 1 }}"`, `2`},
		{`"${{ semverParse('1.2.3') }}"`, `"1.2.3"`},
		{`"${{ status('open-pr') + status('step-2') + status('step-3') }}"`, `"SucceededSkipped"`},
		{`"${{ keys(vars.image) }}"`, `["ports","tag"]`},
		{`"${{ values({b: 2, a: 1}) }}"`, `[1,2]`},
		{`"${{ toPairs({b: 2, a: 1}) }}"`, `[["a",1],["b",2]]`},
		{`"${{ join(['a', 'b']) + repeat('-', 3) + replace('aaa', 'a', 'b', 2) }}"`, `"ab---bba"`},
		{`"${{ now().Year() }}"`, `2026`},
		{`"${{ now() }}"`, `"2026-01-02T03:04:05Z"`},
		{`"${{ let a = vars.replicas; a * 2 }}"`, `6`},
		{`"${{ filter(vars.image.ports, # > 80) }}"`, `[443]`},
		{`"${{ {'${a}': 1} }}"`, `{"${a}":1}`},
		{`"${{ '${' + '{ vars.nope }' + '}' }}"`, `"${{ vars.nope }}"`},
		{`"${% {'a': {'b': 1}} %}"`, `{"a":{"b":1}}`},
		{`{"${{ vars.team }}":"${{ vars.team }}"}`, `{"${{ vars.team }}":"platform"}`},
		{`"${% asYAML({a: ['x', {b: 'no', c: []}], d: {e: '1.10', f: {}}, 'k y': \"l\\nm\"}) %}"`,
			`"a:\n- x\n- b: \"no\"\n  c: []\nd:\n  e: \"1.10\"\n  f: {}\n\"k y\": \"l\\nm\"\n"`},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			got, err := expr.Evaluate(json.RawMessage(tt.in), environment())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestEvaluateErrors(t *testing.T) {
	tests := []struct{ in, want string }{
		{`"${{ nope }}"`, `there is no "nope" in ${{ nope }} at character 1; the variables are ctx, freight, outputs, vars`},
		{`{"updates":[{"value":"x${{ 1 + var.a }}"}]}`, `updates[0].value: there is no "var" in ${{ 1 + var.a }} at character 5; did you mean "vars"?`},
		{`"${{ vars.replica }}"`, `there is no "replica" (did you mean "replicas"?) in ${{ vars.replica }} at character 6`},
		{`"a ${{ vars.nope }} b"`, `there is no "nope"`},
		{`"a ${{ vars.image.nope }} b"`, `there is no "nope" (there is ports, tag)`},
		{`"${{ outputs['open-pr'].nope }}"`, `there is no "nope" (there is pr)`},
		{`"${{ outputs['step-2'].x }}"`, `there is no "step-2"`},
		{`"${{ ctx.nope }}"`, `there is no "nope"`},
		{`"${{ freight.nope.tag }}"`, `there is no "nope" (there is chart, config, my-app, web)`},
		{`"${{ freight.web.commit }}"`, `there is no "commit" (there is digest, repo, tag)`},
		{`"${{ freight.my }}"`, `there is no "my" (did you mean "my-app"?)`},
		{`"${{ freight.my-app.commit }}"`, `a name with a dash in it is written like`},
		{`"${{ $env.vars }}"`, `there is no "$env"`},
		{`"${{ $env['vars'] }}"`, `there is no "$env"`},
		{`"${{ vars.nothing.x }}"`, `"x" cannot be read: what it should be in is null`},
		{`"${{ vars.image.ports.x }}"`, `a list has no "x": its elements have numbers`},
		{`"${{ vars.image.ports[2] }}"`, `index out of range`},
		{`"${{ vars.replicas.x }}"`, `a number has no "x"`},
		{`"${{ commitFrom('acme/nope').ID }}"`, `commitFrom found nothing from acme/nope in this freight, which holds chart`},
		{`"x${{ imageFrom('acme/nope') }}"`, `imageFrom found nothing from acme/nope`},
		{`"${{ commitFrom('acme/config').Id }}"`, `there is no "Id" (did you mean "ID"?)`},
		{`"${{ commitFrom(3) }}"`, `commitFrom takes a string, not a number`},
		{`"${{ commitFrom('acme/config', 3) }}"`, `commitFrom takes warehouse('NAME')`},
		{`"a ${{ freightMetadata().nope }}"`, `there is no "nope" (there is by, n, tested)`},
		{`"${{ freightMetadata('nobody').a }}"`, `freightMetadata: no freight of this pipeline is called "nobody" (any more)`},
		{`"${{ freightMetadata(3) }}"`, `freightMetadata takes a string, not a number`},
		{`"${{ stageMetadata('prd') }}"`, `stageMetadata: this pipeline has no stage prd (did you mean prod?); its stages: dev, prod`},
		{`"${{ stageMetadata('dev', 'x') }}"`, `too many arguments to call stageMetadata`},
		{`"${{ semverParse('x') }}"`, `semverParse: "x" is no semantic version`},
		{`"${{ semverParse('1.2.3').Major }}"`, `the result is a function; add () to call it`},
		{`"${{ success }}"`, `"success" is a function in ${{ success }} at character 1; add () to call it`},
		{`"${{ secret('x').y }}"`, `Kubernetes Secrets`},
		{`"${{ task.outputs.x }}"`, `promotion tasks`},
		{`"${{ quot(1) }}"`, `did you mean "quote"?`},
		{`"${{ upper(vars.nothing) }}"`, `this takes a string, not null`},
		{`"${{ 1 / 0 * 0 }}"`, `the result is no number`},
		{`"${{ 'a' + 1 }}"`, `'a' + 1`},
		{`"${{ }}"`, `the expression is empty`},
		{`"${{ '}}' }}"`, `write ${% … %} around it`},
		{`"${{ vars.a"`, `unclosed expression ${{ vars.a; it must end with }}`},
		{`{"a": ${{ 1 }}}`, `not valid JSON`},
		{`{} {}`, `not valid JSON`},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			got, err := expr.Evaluate(json.RawMessage(tt.in), environment())
			if err == nil {
				t.Fatalf("got %s, want an error", got)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %s\nwant %s", err, tt.want)
			}
		})
	}
}

// Each of these would take minutes or gigabytes without bounds. They are judged by
// what they allocate; one that takes no end ends the test.
func TestBounds(t *testing.T) {
	tests := map[string]string{
		"doubling text":         `let a = repeat('x', 1000); ` + doubling("+", 40) + "len(z)",
		"doubling lists":        `let a = [1]; ` + doubling("list", 40) + "len(flatten(z))",
		"nested loops":          `let a = 1..10000; all(a, all(a, all(a, true)))`,
		"loops over loops":      `all(1..10000, all(1..10000, # >= 0))`,
		"repeat":                `len(repeat(repeat('x', 1000000), 1000000))`,
		"replace":               `let a = repeat('x', 1000000); len(replace(a, '', a))`,
		"join":                  `let a = repeat('x', 1000000); len(join(map(1..1000, 'y'), a))`,
		"range":                 `len(1..1000000000)`,
		"uniq":                  `len(uniq(map(1..100000, #)))`,
		"deep":                  `reduce(1..1000, [#acc], [1])`,
		"patterns in a loop":    `all(1..100000, 'x' matches ('(a?){500}' + string(#)) or true)`,
		"matching much":         `repeat('a', 5000000) matches '(a?){900}b'`,
		"long expression":       strings.Repeat("(", 20000) + "1" + strings.Repeat(")", 20000),
		"deep parens":           strings.Repeat("(", 8000) + "1" + strings.Repeat(")", 8000),
		"many nodes":            "1" + strings.Repeat("+1", 3000),
		"nested maps":           `reduce(1..1000, {'a': #acc}, {})`,
		"maps of maps":          `len(map(1..100000, {'a': {'b': #, 'c': [#]}}))`,
		"groups of groups":      `len(toJSON(groupBy(1..100000, {'k': #}.k)))`,
		"text to JSON and back": `let a = repeat('"', 9000000); len(toJSON(toJSON(toJSON(a))))`,
		"splitting":             `len(split(repeat('x', 8000000), ''))`,
		"upper of much":         `len(map(1..10000, upper(repeat('x', 10000))))`,
		"base64 over and over":  `reduce(1..200, toBase64(#acc), 'abc')`,
		"sorted over and over":  `all(1..10000, len(sort(1..10000)) > 0)`,
	}
	for name, source := range tests {
		t.Run(name, func(t *testing.T) {
			before := allocated()
			got, err := expr.Text("${{ "+source+" }}", environment())
			if err == nil && name != "deep parens" {
				t.Errorf("got %.100s, want an error", got)
			}
			if made := allocated() - before; made > 400<<20 {
				t.Errorf("it made %d MB", made>>20)
			}
		})
	}
}

// allocated is how many bytes this process has ever asked for.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// doubling declares b, c, … each twice what stands before, and z the last.
func doubling(how string, times int) string {
	var b strings.Builder
	last := "a"
	for i := range times {
		name := "v" + strings.Repeat("w", i)
		if i == times-1 {
			name = "z"
		}
		if how == "list" {
			b.WriteString("let " + name + " = [" + last + ", " + last + "]; ")
		} else {
			b.WriteString("let " + name + " = " + last + " + " + last + "; ")
		}
		last = name
	}
	return b.String()
}

func TestCondition(t *testing.T) {
	failed := expr.Env{Steps: []expr.StepStatus{{Alias: "a", Phase: promotion.StepErrored}}}
	excused := expr.Env{Steps: []expr.StepStatus{{Alias: "a", Phase: promotion.StepFailed, ContinueOnError: true}}}
	tests := []struct {
		in   string
		env  expr.Env
		want bool
	}{
		{"", expr.Env{}, true},
		{" ", failed, false},
		{"", excused, true},
		{"always()", failed, true},
		{"${{ failure() }}", failed, true},
		{"failure()", excused, false},
		{"ctx.stage == 'prod'", environment(), true},
		{"${{ ctx.stage != 'prod' }}", environment(), false},
		{"status('a') == 'Errored'", failed, true},
	}
	for _, tt := range tests {
		got, err := expr.Condition(tt.in, tt.env)
		if err != nil || got != tt.want {
			t.Errorf("Condition(%q) = %v, %v; want %v", tt.in, got, err, tt.want)
		}
	}
	for _, in := range []string{"'true'", "1", "ctx.stage", "a b", "${{ true }} && ${{ false }}", "nope", "${{ null }}"} {
		if got, err := expr.Condition(in, environment()); err == nil {
			t.Errorf("Condition(%q) = %v, want an error", in, got)
		}
	}
}

func TestResolve(t *testing.T) {
	raw := func(pairs ...string) map[string]json.RawMessage {
		out := map[string]json.RawMessage{}
		for i := 0; i < len(pairs); i += 2 {
			out[pairs[i]] = json.RawMessage(pairs[i+1])
		}
		return out
	}
	tests := []struct {
		name              string
		vars, under, want map[string]json.RawMessage
		err               string
	}{
		{"nothing", nil, nil, raw(), ""},
		{"any order", raw("a", `"${{ vars.b + 1 }}"`, "b", `"${{ vars.c }}"`, "c", `1`), nil, raw("a", "2", "b", "1", "c", "1"), ""},
		{"nested values", raw("a", `{"x":["${{ vars.b }}"]}`, "b", `"s"`), nil, raw("a", `{"x":["s"]}`, "b", `"s"`), ""},
		{"on top of others", raw("a", `"${{ vars.a }}-x"`), raw("a", `"old"`, "b", "1"), raw("a", `"old-x"`, "b", "1"), ""},
		{"computed names come last", raw("a", `"${{ vars[vars.z] }}"`, "x", "5", "z", `"x"`), nil, raw("a", "5", "x", "5", "z", `"x"`), ""},
		{"cycle", raw("a", `"${{ vars.b }}"`, "b", `"${{ vars.a }}"`), nil, nil, "vars refer to each other in a circle: a → b → a"},
		{"itself", raw("a", `"${{ vars.a }}"`), nil, nil, "circle: a → a"},
		{"missing", raw("a", `"${{ vars.nope }}"`), nil, nil, `vars.a: there is no "nope"`},
		{"broken", raw("a", `"${{ vars. }}"`), nil, nil, `vars.a: `},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := expr.Resolve(tt.vars, expr.Env{Vars: tt.under})
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("got %v, want %s", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	good := []string{
		"", "text", "${{ vars.anything.at.all }} ${{ outputs['x'].y }}", "${{ freight.web.tag }}", "${{ nope ?? 1 }}",
		"${{ semverParse('1').IncMajor().String() }}", "${{ commitFrom('x', warehouse('y')).ID }}", "${{ let a = 1; a }}", "${{ map([1], # + 1) }}",
	}
	for _, in := range good {
		if err := expr.Check(in); err != nil {
			t.Errorf("Check(%q): %v", in, err)
		}
	}
	bad := []string{"${{", "${{ 1 + }}", "${{ nope }}", "${{ foo(1) }}", "${{ semverDiff('1') }}", "${{ 1 + 'a' }}", "${{ upper(1) }}", "a ${{ b }} c"}
	for _, in := range bad {
		if err := expr.Check(in); err == nil {
			t.Errorf("Check(%q): no error", in)
		}
	}
	if err := expr.CheckCondition("success() && ctx.stage == 'x'"); err != nil {
		t.Error(err)
	}
	var e *expr.Error
	if err := expr.CheckCondition("succes()"); !errors.As(err, &e) || !strings.Contains(e.Hint, `"success"`) {
		t.Errorf("got %v, want a near miss", err)
	}
}

func TestAmbiguous(t *testing.T) {
	env := expr.Env{Freight: &promotion.Freight{Artifacts: []promotion.Artifact{
		{Source: "a", Kind: "git", Repo: "acme/x", Commit: "1"}, {Source: "b", Kind: "git", Repo: "acme/x", Commit: "2"},
	}}}
	if got, err := expr.Text("${{ commitFrom('acme/x').ID }}", env); err == nil || !strings.Contains(err.Error(), "freight['a']") {
		t.Errorf("got %q, %v; want an error that names the sources", got, err)
	}
	if got, err := expr.Text("${{ commitFrom('acme/x', warehouse('b')).ID }}", env); err != nil || got != "2" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestSpellings(t *testing.T) {
	same := []struct{ kind, repo, spelling string }{
		{"git", "acme/config", "https://github.com/acme/config"},
		{"git", "acme/config", "https://github.com/Acme/Config.git/"},
		{"git", "acme/config", "https://x-access-token:t@github.com:443/acme/config.git"},
		{"git", "acme/config", "http://github.com/acme/config"},
		{"git", "acme/config", "git@github.com:acme/config.git"},
		{"git", "acme/config", "ssh://git@github.com:22/acme/config.git"},
		{"git", "acme/config", "git://github.com/acme/config"},
		{"git", "acme/config", "github.com/acme/config"},
		{"git", "acme/config", "ACME/config"},
		{"image", "docker.io/library/nginx", "nginx"},
		{"image", "nginx", "index.docker.io/library/nginx"},
		{"image", "acme/web", "docker.io/acme/web"},
		{"image", "localhost/web", "localhost/web"},
		{"chart", "oci://ghcr.io/acme/web", "ghcr.io/acme/web/"},
	}
	functions := map[string]string{"git": "commitFrom", "image": "imageFrom", "chart": "chartFrom"}
	find := func(kind, repo, spelling string) string {
		env := expr.Env{Freight: &promotion.Freight{Artifacts: []promotion.Artifact{{Source: "s", Kind: kind, Repo: repo, Tag: "1", Commit: "1"}}}}
		got, err := expr.Text("${{ "+functions[kind]+"('"+spelling+"') == nil ? 'other' : 'same' }}", env)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	for _, tt := range same {
		if find(tt.kind, tt.repo, tt.spelling) != "same" {
			t.Errorf("%s %s is not found as %s", tt.kind, tt.repo, tt.spelling)
		}
	}
	different := []struct{ kind, repo, spelling string }{
		{"git", "acme/config", "https://git.example.com/acme/config"}, {"git", "acme/config", "acme/config2"}, {"git", "acme/config", "config"},
		{"image", "ghcr.io/acme/web", "acme/web"}, {"image", "localhost/web", "web"}, {"chart", "oci://ghcr.io/acme/web", "ghcr.io/acme"},
	}
	for _, tt := range different {
		if find(tt.kind, tt.repo, tt.spelling) != "other" {
			t.Errorf("%s %s is found as %s", tt.kind, tt.repo, tt.spelling)
		}
	}
}

// What an expression gives does not depend on the order of Go's maps.
func TestSameEveryTime(t *testing.T) {
	in := json.RawMessage(`"${{ asJSON({e: 1, d: 2, c: keys({z: 1, y: 2, x: 3}), b: toPairs({p: 1, o: 2}), a: values({l: 1, k: 2})}) }}"`)
	first, err := expr.Evaluate(in, environment())
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		if again, _ := expr.Evaluate(in, environment()); string(again) != string(first) {
			t.Fatalf("%s, then %s", first, again)
		}
	}
}

func FuzzEvaluate(f *testing.F) {
	for _, s := range []string{
		"${{ vars.image.ports[0] }}", "x${{ outputs['open-pr'].pr.id ?? 1 }}y", "${% {'a': {'b': 1}} %}", "${{ map(1..3, # * 2) | join('-') }}",
		"${{ semverParse('1.2.3').IncMajor() }}", "${{ let a = freight; a?.web?.tag }}", "${{ groupBy([1,2], # % 2) }}", "${{ now() - now() }}", "${{ $env }}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, template string) {
		raw, err := json.Marshal(template)
		if err != nil {
			t.Fatal(err)
		}
		got, err := expr.Evaluate(raw, environment())
		if err == nil && !json.Valid(got) {
			t.Errorf("%q gave %s", template, got)
		}
		if _, err := expr.Text(template, environment()); err != nil && err.Error() == "" {
			t.Error("an error without words")
		}
		_ = expr.Check(template)
		_, _ = expr.Condition(template, environment())
		_, _ = expr.Resolve(map[string]json.RawMessage{"a": raw, "b": json.RawMessage(`"${{ vars.a }}"`)}, environment())
	})
}

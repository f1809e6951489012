package promotion_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/promotion"
	pt "github.com/stagecoach-app/stagecoach/promotion/promotiontest"
)

// on is an update of one key.
func on(kind, name, key, value string) promotion.MetadataUpdate {
	return promotion.MetadataUpdate{Kind: kind, Name: name, Values: promotion.Metadata{key: json.RawMessage(value)}}
}

// kept shows metadata as one text.
func kept(m promotion.Metadata) string {
	raw, _ := json.Marshal(m)
	return string(raw)
}

// twoStages is a world in which dev holds freight of the commit c1.
func twoStages() (*pt.World, *promotion.Freight) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("dev", "auto", "commit"), pt.Stage("prod", "after:dev")))
	w.Take(pt.Push(pt.SHA("c1")))
	return w, w.State.Pipelines["default"].Freight[0]
}

func TestMetadataIsKept(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("dev", "auto", "commit"), pt.Stage("prod", "after:dev")))
	w.StepResult = func(e promotion.Effect) promotion.Result {
		r := promotion.Result{Phase: promotion.StepSucceeded}
		if e.Step == 0 {
			id := w.State.Promotion(e.Promotion).Freight
			r.Metadata = []promotion.MetadataUpdate{on("Freight", id, "by", `"dev"`), on("Stage", "prod", "next", `"`+id+`"`)}
		}
		return r
	}
	w.Take(pt.Push(pt.SHA("c1")))
	f := w.State.Pipelines["default"].Freight[0]
	look := func(when string) {
		t.Helper()
		of, err := w.State.FreightMetadata("default", f.Alias())
		stage, stageErr := w.State.StageMetadata("default", "prod")
		if kept(of) != `{"by":"dev"}` || kept(stage) != `{"next":"`+f.ID+`"}` || err != nil || stageErr != nil {
			t.Errorf("%s the freight has %s (%v), prod has %s (%v)", when, kept(of), err, kept(stage), stageErr)
		}
	}
	look("at first")
	w.Restart()
	look("after a restart")
	w.LoseStore(w.State.Local.Config["default"])
	look("from the ledger alone")
	if fresh := promotion.FreightID(f.Artifacts); fresh != f.ID {
		t.Errorf("metadata changes the ID of freight: %s", fresh)
	}
}

func TestSetMetadata(t *testing.T) {
	w, f := twoStages()
	s := w.State
	set := func(updates ...promotion.MetadataUpdate) {
		t.Helper()
		if err := s.SetMetadata("default", updates); err != nil {
			t.Fatal(err)
		}
	}
	set(on("Freight", f.ID, "a", `1`), on("Freight", f.Alias(), "b", `{"c": null}`), on("Stage", "dev", "a", `2`))
	shared := *s
	shared.Pipelines = map[string]*promotion.PipelineState{"default": s.Pipelines["default"]}
	set(on("Freight", f.ID, "a", `null`), on("Stage", "dev", "a", `3`))
	for name, tt := range map[string]struct {
		state *promotion.State
		want  string
	}{"changed": {s, `{"b":{"c":null}} {"a":3}`}, "what shares its pipeline": {&shared, `{"a":1,"b":{"c":null}} {"a":2}`}} {
		of, _ := tt.state.FreightMetadata("default", f.ID)
		stage, _ := tt.state.StageMetadata("default", "dev")
		if got := kept(of) + " " + kept(stage); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
	if of, err := s.FreightMetadata("default", "nobody"); of != nil || err != nil {
		t.Errorf("freight that nobody knows: %v, %v", of, err)
	}
	if of, err := s.FreightMetadata("other", f.ID); of != nil || err != nil {
		t.Errorf("freight of another pipeline: %v, %v", of, err)
	}
	if stage, err := s.StageMetadata("default", "prod"); stage == nil || len(stage) != 0 || err != nil {
		t.Errorf("a stage without metadata: %v, %v", stage, err)
	}
}

// What is refused leaves everything as it was, what came before it in the same
// step too.
func TestSetMetadataRefuses(t *testing.T) {
	w, f := twoStages()
	text := func(n int) string { return fmt.Sprintf("%q", strings.Repeat("x", n-2)) } // JSON of n bytes
	for name, tt := range map[string]struct {
		update promotion.MetadataUpdate
		want   string
	}{
		"a stage that is not there": {on("Stage", "prd", "a", `1`), "no stage prd (did you mean prod?); its stages: dev, prod"},
		"freight that is not there": {on("Freight", "web-1", "a", `1`), "no freight of this pipeline is called web-1; the one that is promoted is ctx.targetFreight.name"},
		"an empty key":              {on("Stage", "dev", "", `1`), "has 0 bytes; one has 1 to 128"},
		"a long key":                {on("Stage", "dev", strings.Repeat("k", 129), `1`), "a key of the metadata of the stage dev has 129 bytes"},
		"too much with what is set": {on("Stage", "dev", "b", text(2096)), "the metadata of the stage dev would take 4098 bytes, and at most 4096 are kept"},
		"too much for the freight":  {on("Freight", f.ID, "b", text(4096)), "the metadata of the freight " + f.Alias() + " would take 4097 bytes"},
	} {
		before := w.State.Pipelines["default"]
		err := w.State.SetMetadata("default", []promotion.MetadataUpdate{on("Stage", "dev", "a", text(2000)), tt.update})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
		if diff := cmp.Diff(before, w.State.Pipelines["default"]); diff != "" {
			t.Errorf("%s: it was refused, and\n%s", name, diff)
		}
	}
}

// A repository has one bound for all its pipelines: the ledger holds them all.
func TestMetadataOfARepositoryIsBounded(t *testing.T) {
	s := &promotion.State{Pipelines: map[string]*promotion.PipelineState{}}
	s.Local.Config = map[string]*promotion.Pipeline{}
	value := fmt.Sprintf("%q", strings.Repeat("x", 4000))
	for i := range 40 {
		name := fmt.Sprint("p", i)
		s.Local.Config[name] = pt.Pipeline(name, pt.Stage("dev"))
		err := s.SetMetadata(name, []promotion.MetadataUpdate{on("Stage", "dev", "a", value)})
		if full := i >= 32; full != (err != nil) {
			t.Fatalf("pipeline %d: %v", i, err)
		}
		if err != nil && !strings.Contains(err.Error(), "the metadata of this repository would take 132099 bytes, and at most 131072 are kept") {
			t.Error(err)
		}
	}
	if err := s.SetMetadata("p0", []promotion.MetadataUpdate{on("Stage", "dev", "a", "null")}); err != nil {
		t.Error("room cannot be made:", err)
	}
	if err := s.SetMetadata("p33", []promotion.MetadataUpdate{on("Stage", "dev", "a", value)}); err != nil {
		t.Error("room was made, and", err)
	}
}

// A step whose metadata is refused has errored, and says why.
func TestRefusedMetadataIsAnError(t *testing.T) {
	w := pt.NewWorld(pt.Pipeline("default", pt.Stage("dev", "auto", "commit")))
	w.StepResult = func(promotion.Effect) promotion.Result {
		return promotion.Result{Phase: promotion.StepSucceeded, Message: "Set a.", Metadata: []promotion.MetadataUpdate{on("Stage", "prod", "a", "1")}}
	}
	w.Take(pt.Push(pt.SHA("c1")))
	if p := w.All("dev")[0]; p.Phase != promotion.PhaseErrored || !strings.Contains(p.Message, "this pipeline has no stage prod") {
		t.Errorf("%s: %s", p.Phase, p.Message)
	}
}

// Two pieces of freight may have one alias: then only the ID says which is meant.
func TestMetadataOfAnAliasThatTwoHave(t *testing.T) {
	one, two := strings.Repeat("0", 40), "40"+strings.Repeat("0", 38)
	s := &promotion.State{Pipelines: map[string]*promotion.PipelineState{"default": {Freight: []*promotion.Freight{{ID: one}, {ID: two}}}}}
	alias := promotion.Alias(one)
	if alias != promotion.Alias(two) {
		t.Fatal("they have different aliases")
	}
	err := s.SetMetadata("default", []promotion.MetadataUpdate{on("Freight", alias, "a", "1")})
	if err == nil || !strings.Contains(err.Error(), "several pieces of freight are called "+alias+"; write its ID") {
		t.Errorf("got %v", err)
	}
	if _, err := s.FreightMetadata("default", alias); err == nil {
		t.Error("one of them was read")
	}
	if err := s.SetMetadata("default", []promotion.MetadataUpdate{on("Freight", two, "a", "1")}); err != nil {
		t.Error(err)
	}
	if of, _ := s.FreightMetadata("default", one); len(of) != 0 {
		t.Errorf("the other one got %v", of)
	}
}

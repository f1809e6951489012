package worker

import (
	"maps"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Two states are alike when the store would hold the same of both, however they came about.
func TestStoredAlike(t *testing.T) {
	known := &promotion.State{
		Repo:      promotion.Repo{ID: 1},
		Pipelines: map[string]*promotion.PipelineState{"a": {NextNumber: 1}, "b": {NextNumber: 2}},
		Local:     promotion.Local{Config: map[string]*promotion.Pipeline{"a": {Name: "a"}}, Places: &promotion.Places{}, Writer: "w"},
	}
	for what, c := range map[string]struct {
		change func(s *promotion.State)
		alike  bool
	}{
		"nothing":                       {func(*promotion.State) {}, true},
		"a copy of a pipeline":          {func(s *promotion.State) { one := *s.Pipelines["a"]; s.Pipelines["a"] = &one }, true},
		"a copy of a config":            {func(s *promotion.State) { one := *s.Local.Config["a"]; s.Local.Config["a"] = &one }, true},
		"what is not stored":            {func(s *promotion.State) { s.Local.Places = nil }, true},
		"a pipeline":                    {func(s *promotion.State) { s.Pipelines["b"] = &promotion.PipelineState{NextNumber: 3} }, false},
		"a pipeline more":               {func(s *promotion.State) { s.Pipelines["c"] = &promotion.PipelineState{} }, false},
		"a pipeline less":               {func(s *promotion.State) { delete(s.Pipelines, "b") }, false},
		"a pipeline of another name":    {func(s *promotion.State) { s.Pipelines["c"] = s.Pipelines["b"]; delete(s.Pipelines, "b") }, false},
		"a config":                      {func(s *promotion.State) { s.Local.Config["a"] = &promotion.Pipeline{Name: "a", Path: "x"} }, false},
		"a tip":                         {func(s *promotion.State) { s.Local.Tips = map[string]string{"main": "1"} }, false},
		"a time":                        {func(s *promotion.State) { s.Local.Rebuilt = time.Unix(1, 0) }, false},
		"what stands under no pipeline": {func(s *promotion.State) { s.Problems = []promotion.Problem{{Key: "x"}} }, false},
	} {
		next := *known
		next.Pipelines, next.Local.Config = maps.Clone(known.Pipelines), maps.Clone(known.Local.Config)
		c.change(&next)
		if alike, err := storedAlike(known, &next); err != nil || alike != c.alike {
			t.Errorf("%s changes: alike %v, %v, want %v", what, alike, err, c.alike)
		}
	}
	for _, none := range [][2]*promotion.State{{nil, known}, {known, nil}} {
		if alike, _ := storedAlike(none[0], none[1]); alike {
			t.Error("what is not there is like what is")
		}
	}
}

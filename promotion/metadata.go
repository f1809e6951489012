package promotion

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// The bounds of metadata, in bytes. It stands in the ledger, which has other
// things to hold.
const (
	maxMetadataKey  = 128       // of a key
	maxMetadata     = 4 << 10   // keys and JSON of one piece of freight or one stage
	maxMetadataRepo = 128 << 10 // keys and JSON of a repository
)

// What metadata may be set on, in Kargo's words.
const (
	MetadataOfFreight = "Freight"
	MetadataOfStage   = "Stage"
)

// Metadata is what steps keep with a piece of freight or with a stage, for later
// steps and later stages to read: JSON by key.
type Metadata map[string]json.RawMessage

// MetadataUpdate sets metadata of one piece of freight or of one stage.
type MetadataUpdate struct {
	Kind   string   `json:"kind"`   // MetadataOfFreight or MetadataOfStage
	Name   string   `json:"name"`   // of freight: its ID or its alias
	Values Metadata `json:"values"` // null takes a key away; keys that are not named stay
}

// SetMetadata carries out updates in one pipeline of the state, in their order:
// all of them, or none. The error is for people. Freight, stages and the pipeline
// are replaced, not changed, as other states may share them.
func (s *State) SetMetadata(pipeline string, updates []MetadataUpdate) error {
	next := PipelineState{}
	if known := s.Pipelines[pipeline]; known != nil {
		next = *known
	}
	next.Freight, next.Stages = slices.Clone(next.Freight), cloneMap(next.Stages)
	for _, u := range updates {
		if err := s.setMetadata(pipeline, &next, u); err != nil {
			return err
		}
	}
	size := next.metadataSize()
	for name, other := range s.Pipelines {
		if name != pipeline {
			size += other.metadataSize()
		}
	}
	if size > maxMetadataRepo {
		return tooMuchMetadata("this repository", size, maxMetadataRepo)
	}
	s.Pipelines[pipeline] = &next
	return nil
}

// setMetadata carries out one update in a pipeline's state whose lists nobody shares.
func (s *State) setMetadata(pipeline string, ps *PipelineState, u MetadataUpdate) (err error) {
	if u.Kind == MetadataOfStage {
		if err := s.knowsStage(pipeline, u.Name); err != nil {
			return err
		}
		own := StageState{}
		if st := ps.Stages[u.Name]; st != nil {
			own = *st
		}
		own.Metadata, err = own.Metadata.with(u.Values, "the stage "+u.Name)
		ps.Stages[u.Name] = &own
		return err
	}
	f, err := ps.freightCalled(u.Name)
	if err != nil {
		return err
	}
	if f == nil {
		return fmt.Errorf("no freight of this pipeline is called %s; the one that is promoted is ctx.targetFreight.name", plain(u.Name))
	}
	own := *f
	own.Metadata, err = own.Metadata.with(u.Values, "the freight "+f.Alias())
	ps.Freight[slices.Index(ps.Freight, f)] = &own
	return err
}

// with is metadata with values set in it; of says whose it is.
func (m Metadata) with(values Metadata, of string) (Metadata, error) {
	next := Metadata(cloneMap(m))
	for _, key := range sortedKeys(values) {
		switch {
		case key == "" || len(key) > maxMetadataKey:
			return nil, fmt.Errorf("a key of the metadata of %s has %d bytes; one has 1 to %d", of, len(key), maxMetadataKey)
		case string(values[key]) == "null":
			delete(next, key)
		default:
			next[key] = values[key]
		}
	}
	if size := next.size(); size > maxMetadata {
		return nil, tooMuchMetadata(of, size, maxMetadata)
	}
	if len(next) == 0 {
		return nil, nil
	}
	return next, nil
}

func tooMuchMetadata(of string, size, most int) error {
	return fmt.Errorf("the metadata of %s would take %d bytes, and at most %d are kept: set less, or set keys that nobody reads to null", of, size, most)
}

func (m Metadata) size() (bytes int) {
	for key, value := range m {
		bytes += len(key) + len(value)
	}
	return bytes
}

func (ps *PipelineState) metadataSize() (bytes int) {
	for _, f := range ps.Freight {
		bytes += f.Metadata.size()
	}
	for _, st := range ps.Stages {
		bytes += st.Metadata.size()
	}
	return bytes
}

// FreightMetadata is the metadata of the freight that has a name, its ID or its
// alias; nil, and no error: there is no such freight.
func (s *State) FreightMetadata(pipeline, name string) (Metadata, error) {
	ps := s.Pipelines[pipeline]
	if ps == nil {
		return nil, nil
	}
	f, err := ps.freightCalled(name)
	if f == nil || err != nil {
		return nil, err
	}
	return cloneMap(f.Metadata), nil
}

// StageMetadata is the metadata of a stage. One that the pipeline does not have is
// an error for people.
func (s *State) StageMetadata(pipeline, stage string) (Metadata, error) {
	if err := s.knowsStage(pipeline, stage); err != nil {
		return nil, err
	}
	if ps := s.Pipelines[pipeline]; ps != nil && ps.Stages[stage] != nil {
		return cloneMap(ps.Stages[stage].Metadata), nil
	}
	return Metadata{}, nil
}

// freightCalled finds freight by its ID or its alias; nil: none is called so.
func (ps *PipelineState) freightCalled(name string) (*Freight, error) {
	var found *Freight
	for _, f := range ps.Freight {
		switch {
		case f.ID == name:
			return f, nil
		case f.Alias() != name:
		case found != nil:
			return nil, fmt.Errorf("several pieces of freight are called %s; write its ID", name)
		default:
			found = f
		}
	}
	return found, nil
}

// knowsStage is an error for people if the pipeline has no such stage. While its
// config cannot be read, those count that are remembered.
func (s *State) knowsStage(pipeline, stage string) error {
	var names []string
	if p := s.Local.Config[pipeline]; p != nil {
		for _, st := range p.Stages {
			names = append(names, st.Name)
		}
	} else if ps := s.Pipelines[pipeline]; ps != nil {
		names = sortedKeys(ps.Stages)
	}
	if slices.Contains(names, stage) {
		return nil
	}
	hint := ""
	if near := Nearest(stage, names); near != "" {
		hint = fmt.Sprintf(" (did you mean %s?)", near)
	}
	return fmt.Errorf("this pipeline has no stage %s%s; its stages: %s", plain(stage), hint, strings.Join(names, ", "))
}

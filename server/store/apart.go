package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// A state of many pipelines is kept apart: a base that holds all of them in pieces, and
// over it the head, which holds everything else and those that changed since the base
// was written. So a save costs what changed, among however many, and is still one
// write that replaces one value.

const (
	apartFrom = 16 // pipelines from which on a state is kept apart
	// mostApart is how many pipelines a head holds. With more the base is written anew.
	mostApart = 16
)

// errNotApart means that what stands beside the pipelines is too large for a head.
var errNotApart = errors.New("the state does not fit beside its pipelines")

// apart is what a head of kindApart holds, as JSON.
type apart struct {
	Base string           `json:"base"` // its pieces, see set.named
	Rest *promotion.State `json:"rest"`
	changed
}

// changed are pipelines by name; nil: it is in the base, and is there no more.
type changed struct {
	Pipelines map[string]*promotion.PipelineState `json:"pipelines,omitempty"`
	Config    map[string]*promotion.Pipeline      `json:"config,omitempty"`
}

// over is what is in place of c when what changed is put over it.
func (c changed) over(base changed) changed {
	return changed{overlaid(base.Pipelines, c.Pipelines), overlaid(base.Config, c.Config)}
}

func overlaid[T any](base, over map[string]*T) map[string]*T {
	out := make(map[string]*T, len(base)+len(over))
	for name, v := range base {
		out[name] = v
	}
	for name, v := range over {
		if out[name] = v; v == nil {
			delete(out, name)
		}
	}
	return out
}

// since is what differs from a base. States are never changed, so what both share is the same.
func (c changed) since(base changed) changed {
	return changed{differing(base.Pipelines, c.Pipelines), differing(base.Config, c.Config)}
}

func differing[T any](base, now map[string]*T) map[string]*T {
	out := map[string]*T{}
	for name, v := range now {
		if base[name] != v {
			out[name] = v
		}
	}
	for name := range base {
		if _, still := now[name]; !still {
			out[name] = nil
		}
	}
	return out
}

// saveApart saves a state over the base that is known of it, or over a new one.
func (s *Store) saveApart(ctx context.Context, key string, state *promotion.State, revision uint64) (uint64, error) {
	all := changed{state.Pipelines, state.Local.Config}
	of := s.bases.of(state.Repo.ID, revision)
	head, err := s.headOver(of, state, all)
	fresh := errors.Is(err, errNotApart)
	if fresh {
		if of, err = s.writeBase(ctx, key, all); err != nil {
			return 0, err
		}
		if head, err = s.headOver(of, state, all); err != nil {
			return 0, errors.Join(err, s.drop(ctx, of.pieces))
		}
	}
	if err != nil {
		return 0, err
	}
	next, err := s.replace(ctx, key, head, revision)
	if err != nil {
		return 0, s.notReplaced(ctx, state.Repo.ID, of, fresh, err)
	}
	s.bases.saved(state.Repo.ID, of, next)
	if fresh {
		s.trim(ctx, key, of.pieces, next)
	}
	return next, nil
}

// notReplaced is the error of a save that did not succeed, or whose answer is missing:
// then the head may be stored, and needs its base.
func (s *Store) notReplaced(ctx context.Context, repo int64, of *base, fresh bool, err error) error {
	s.bases.forget(repo)
	if !isTaken(err) {
		return err
	}
	if fresh {
		return errors.Join(ErrLost, s.drop(ctx, of.pieces))
	}
	return ErrLost
}

// headOver is the head of a state over a base. errNotApart: it would be too large, or
// there is no base.
func (s *Store) headOver(of *base, state *promotion.State, all changed) ([]byte, error) {
	if of == nil {
		return nil, errNotApart
	}
	since := all.since(of.held)
	if len(since.Pipelines) > mostApart || len(since.Config) > mostApart {
		return nil, errNotApart
	}
	data, err := json.Marshal(apart{of.pieces.named(), state.Rest(), since})
	if err != nil {
		return nil, fmt.Errorf("write it as JSON: %w", err)
	}
	if head := s.enc.EncodeAll(data, []byte{valueVersion, kindApart}); len(head) <= s.limit {
		return head, nil
	}
	return nil, errNotApart
}

func (s *Store) writeBase(ctx context.Context, key string, all changed) (*base, error) {
	data, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("write its pipelines as JSON: %w", err)
	}
	pieces, err := s.split(ctx, key, s.enc.EncodeAll(data, nil))
	return &base{pieces: pieces, held: all}, err
}

// compose puts a state together from what its head holds and its base.
func (s *Store) compose(ctx context.Context, key string, packed []byte) (*promotion.State, *base, error) {
	data, err := s.dec.DecodeAll(packed, nil)
	if err != nil {
		return nil, nil, err
	}
	var head apart
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, nil, err
	}
	if head.Rest == nil {
		return nil, nil, errors.New("it lacks what is not of a pipeline")
	}
	pieces, err := setNamed(key, head.Base)
	if err != nil {
		return nil, nil, err
	}
	if data, err = s.join(ctx, pieces); err != nil {
		return nil, nil, err
	}
	of := &base{pieces: pieces}
	if err := json.Unmarshal(data, &of.held); err != nil {
		return nil, nil, err
	}
	now := head.over(of.held)
	head.Rest.Pipelines, head.Rest.Local.Config = now.Pipelines, now.Config
	return head.Rest, of, nil
}

package expr

import (
	"fmt"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// freightMetadata gives what steps kept with a piece of freight; without a name
// with that of the promotion. It is null, with a reason, where no such freight is
// remembered.
func (ev *evaluation) freightMetadata(args ...any) (any, error) {
	own := ""
	if ev.env.Freight != nil {
		own = ev.env.Freight.ID
	}
	name, err := nameOr("freightMetadata", own, args)
	if err != nil {
		return nil, err
	}
	kept, err := ev.env.known().FreightMetadata(ev.env.Pipeline, name)
	if err != nil {
		return nil, fmt.Errorf("freightMetadata: %w", err)
	}
	if kept == nil {
		ev.absent = fmt.Sprintf("freightMetadata: no freight of this pipeline is called %q (any more)", name)
		return nil, nil
	}
	return members(kept)
}

// stageMetadata gives what steps kept with a stage of the pipeline; without a name
// with that of the promotion.
func (ev *evaluation) stageMetadata(args ...any) (any, error) {
	name, err := nameOr("stageMetadata", ev.env.Stage, args)
	if err != nil {
		return nil, err
	}
	kept, err := ev.env.known().StageMetadata(ev.env.Pipeline, name)
	if err != nil {
		return nil, fmt.Errorf("stageMetadata: %w", err)
	}
	return members(kept)
}

// nameOr is the name that a function was given, or what counts without one.
func nameOr(function, own string, args []any) (string, error) {
	if len(args) == 0 {
		return own, nil
	}
	names, err := texts(function, args[0])
	if err != nil {
		return "", err
	}
	return names[0], nil
}

// known is the state; without one nothing is known.
func (e *Env) known() *promotion.State {
	if e.State == nil {
		return &promotion.State{}
	}
	return e.State
}

// members are a user's own data: one that is missing is null.
func members(raw promotion.Metadata) (map[string]any, error) {
	decoded, err := decodeMembers(raw)
	return decoded, err
}

package worker

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// storedAlike reports whether two states are the same in the store; one that is nil is
// not there yet. What they share is not looked into: of hundreds of pipelines a decision
// changes one.
func storedAlike(a, b *promotion.State) (bool, error) {
	if a == b {
		return true, nil
	}
	if a == nil || b == nil {
		return false, nil
	}
	for _, compare := range []func() (bool, error){
		func() (bool, error) { return alikeEach(a.Pipelines, b.Pipelines) },
		func() (bool, error) { return alikeEach(a.Local.Config, b.Local.Config) },
		func() (bool, error) { return alike(a.Rest(), b.Rest()) },
	} {
		if same, err := compare(); err != nil || !same {
			return false, err
		}
	}
	return true, nil
}

func alikeEach[T any](a, b map[string]*T) (bool, error) {
	if len(a) != len(b) {
		return false, nil
	}
	for name, one := range b {
		other, ok := a[name]
		if !ok {
			return false, nil
		}
		if same, err := alike(other, one); err != nil || !same {
			return false, err
		}
	}
	return true, nil
}

func alike[T any](a, b *T) (bool, error) {
	if a == b {
		return true, nil
	}
	x, err := json.Marshal(a)
	if err != nil {
		return false, fmt.Errorf("encode the state: %w", err)
	}
	y, err := json.Marshal(b)
	if err != nil {
		return false, fmt.Errorf("encode the state: %w", err)
	}
	return bytes.Equal(x, y), nil
}

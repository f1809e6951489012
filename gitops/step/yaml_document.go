package step

import (
	"encoding/json"
	"errors"

	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
)

// yamlDocument chooses one of the documents of a YAML file.
type yamlDocument struct {
	Index     *int   `json:"index"`
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
}

// key tells choices apart; nil is a choice as well.
func (d *yamlDocument) key() string {
	raw, _ := json.Marshal(d) // texts and a number always have a JSON form
	return string(raw)
}

// selector is the choice for the editor; nil chooses nothing.
func (d *yamlDocument) selector() (yamledit.Document, error) {
	if d == nil {
		return yamledit.Document{}, nil
	}
	chosen := yamledit.Document{Index: d.Index, Kind: d.Kind, Name: d.Name, Namespace: d.Namespace}
	if chosen == (yamledit.Document{}) {
		return chosen, errors.New("`document` says nothing: give its index, or its kind and name")
	}
	return chosen, nil
}

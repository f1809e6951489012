package promotion

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Refuses looks at an evaluated config for keys that must not say anything. Its error
// is Terminal, and says what to do in the key's place. What is no object is not judged.
func (k *StepKind) Refuses(config json.RawMessage) error {
	var value any
	if k == nil || len(bytes.TrimSpace(config)) == 0 || json.Unmarshal(config, &value) != nil {
		return nil
	}
	if name, why := refusalIn(k.Config, value); why != "" {
		return Terminal(fmt.Errorf("`%s` cannot be used in the config of %s: %s", name, k.Uses, why))
	}
	return nil
}

func refusalIn(f Field, value any) (name, why string) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			if f.Items != nil && why == "" {
				name, why = refusalIn(*f.Items, item)
			}
		}
	case map[string]any:
		for _, key := range f.Fields {
			given, has := v[key.Name]
			switch {
			case why != "" || !has:
			case key.Refused == "":
				name, why = refusalIn(key, given)
			case !saysNothing(given):
				name, why = key.Name, key.Refused
			}
		}
	}
	return name, why
}

// saysNothing reports whether a value is as good as leaving its key out.
func saysNothing(value any) bool {
	list, isList := value.([]any)
	return value == false || value == "" || isList && len(list) == 0
}

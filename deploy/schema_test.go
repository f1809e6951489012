//go:build !small

package deploy_test

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
)

// check compares an object with Kubernetes' own description of it (the one that kustomize carries): fields that do not
// exist, those that are missing, and values of another type. Kinds of other makers are not described, and pass.
func check(n *yaml.Node) []string {
	var meta struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
	}
	if err := n.Decode(&meta); err != nil || meta.APIVersion == "" || meta.Kind == "" {
		return []string{fmt.Sprintf("line %d: no apiVersion or kind: %v", n.Line, err)}
	}
	s := openapi.SchemaForResourceType(kyaml.TypeMeta{APIVersion: meta.APIVersion, Kind: meta.Kind})
	switch {
	case s != nil:
		return compare(meta.Kind, n, s)
	case foreign[meta.APIVersion]:
		return nil
	}
	return []string{fmt.Sprintf("there is no %s %s", meta.APIVersion, meta.Kind)}
}

var foreign = map[string]bool{"monitoring.coreos.com/v1": true}

func compare(at string, n *yaml.Node, s *openapi.ResourceSchema) (wrong []string) {
	switch n.Kind {
	case yaml.MappingNode:
		var has []string
		for i := 0; i < len(n.Content); i += 2 {
			key := n.Content[i].Value
			has = append(has, key)
			field := s.Field(key)
			if field == nil {
				wrong = append(wrong, fmt.Sprintf("%s has no field %s", at, key))
				continue
			}
			wrong = append(wrong, compare(at+"."+key, n.Content[i+1], field)...)
		}
		for _, name := range s.Schema.Required {
			if !slices.Contains(has, name) {
				wrong = append(wrong, fmt.Sprintf("%s lacks %s", at, name))
			}
		}
	case yaml.SequenceNode:
		each := s.Elements()
		if each == nil {
			return []string{at + " is no list"}
		}
		for i, item := range n.Content {
			wrong = append(wrong, compare(fmt.Sprintf("%s[%d]", at, i), item, each)...)
		}
	case yaml.ScalarNode:
		if types := tags[kind(s)]; !slices.Contains(types, n.ShortTag()) {
			wrong = append(wrong, fmt.Sprintf("%s is %s %q, want %s", at, n.ShortTag(), n.Value, kind(s)))
		}
	}
	return wrong
}

// kind is the type of a value; a port may be a name or a number.
func kind(s *openapi.ResourceSchema) string {
	if s.Schema.Format == "int-or-string" {
		return s.Schema.Format
	}
	if len(s.Schema.Type) == 0 {
		return "any"
	}
	return s.Schema.Type[0]
}

var tags = map[string][]string{
	"string": {"!!str"}, "integer": {"!!int"}, "boolean": {"!!bool"}, "number": {"!!int", "!!float"}, "int-or-string": {"!!int", "!!str"},
}

package config

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/stagecoach-app/stagecoach/promotion"
)

const expressionPattern = `\$\{[{%]`

// Schema is a JSON Schema (draft 2020-12) of a pipeline file, for editors. It
// leaves to Parse what a schema cannot say: names that exist, cycles, syntax of
// expressions.
func Schema() []byte {
	root := schemaOf(pipelineShape)
	root["required"], root["anyOf"] = []string{"version"}, []any{
		object{"required": requiredOf(pipelineShape)},
		object{"required": []string{shareShape.name}, "propertyNames": object{"enum": sharing.names()}}, // a file that only shares
	}
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "Stagecoach pipeline"
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(root); err != nil {
		panic(err) // maps of strings, numbers and booleans can always be written
	}
	return b.Bytes()
}

type object = map[string]any

func schemaOf(s shape) object {
	out := plainSchema(s)
	if s.template && s.refused == "" && s.typ != promotion.TypeString && s.typ != promotion.TypeScalar {
		out = object{"anyOf": []any{out, object{"type": "string", "pattern": expressionPattern}}}
	}
	if s.doc != "" {
		out["description"] = s.doc
	}
	return out
}

func plainSchema(s shape) object {
	if s.refused != "" {
		return refusedSchema(s)
	}
	switch s.typ {
	case promotion.TypeObject:
		return objectSchema(s)
	case promotion.TypeList:
		out := object{"type": "array", "items": schemaOf(*s.items)}
		if s.required || s.filled {
			out["minItems"] = 1
		}
		if s.most > 0 {
			out["maxItems"] = s.most
		}
		return out
	case promotion.TypeInt:
		if s.name == "version" {
			return object{"const": 1}
		}
		out := object{"type": "integer"}
		if s.least > 0 {
			out["minimum"] = s.least
		}
		if s.greatest > 0 {
			out["maximum"] = s.greatest
		}
		return out
	case promotion.TypeBool:
		return object{"type": "boolean"}
	case promotion.TypeScalar:
		return object{"type": []string{"string", "number", "boolean", "null"}}
	case typeDuration:
		return object{"type": "string", "minLength": 2, "pattern": durations.String()}
	case typeVars, typeStep:
		return object{"type": "object"}
	}
	return textSchema(s)
}

// refusedSchema takes what says nothing, alone.
func refusedSchema(s shape) object {
	switch s.typ {
	case promotion.TypeBool:
		return object{"const": false}
	case promotion.TypeList:
		return object{"type": "array", "maxItems": 0}
	case promotion.TypeString:
		return object{"const": ""}
	}
	return object{"not": object{}}
}

func textSchema(s shape) object {
	out := object{"type": "string"}
	if s.required && !s.blank {
		out["minLength"] = 1
	}
	if s.enum != nil && !s.template {
		out["enum"] = s.enum
	}
	return out
}

func objectSchema(s shape) object {
	properties, required := object{}, []string{}
	for _, f := range s.fields {
		properties[f.name] = schemaOf(f)
		if f.required {
			required = append(required, f.name)
		}
	}
	out := object{"type": "object", "additionalProperties": s.open, "properties": properties}
	if s.required && s.open {
		out["minProperties"] = 1
	}
	if len(s.exactly) > 0 {
		out["oneOf"] = requireOne(s)
	}
	if len(required) > 0 {
		out["required"] = required
	}
	if s.field("uses") != nil {
		stepSchema(out, properties)
	}
	return out
}

// requireOne says that an object has one of the keys, and only one.
func requireOne(s shape) []any {
	var out []any
	for _, key := range s.exactly {
		if slices.Contains(s.names(), key) {
			out = append(out, object{"required": []string{key}})
		}
	}
	return out
}

// stepSchema ties a step's config to its kind.
func stepSchema(out, properties object) {
	var kinds, rules []any
	for i := range promotion.Kinds {
		kind := &promotion.Kinds[i]
		kinds = append(kinds, object{"const": kind.Uses, "description": kind.Doc})
		config := configShape(kind)
		config.template = false
		then := object{"properties": object{"config": schemaOf(config)}}
		if len(requiredOf(config)) > 0 {
			then["required"] = []string{"config"}
		}
		rules = append(rules, object{"if": object{"properties": object{"uses": object{"const": kind.Uses}}}, "then": then})
	}
	properties["uses"].(object)["oneOf"] = kinds
	out["allOf"] = rules
}

func requiredOf(s shape) []string {
	var out []string
	for _, f := range s.fields {
		if f.required {
			out = append(out, f.name)
		}
	}
	return out
}

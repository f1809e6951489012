package step

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// decode checks a task's config against the step's vocabulary and reads it into
// out. The error names every problem.
func decode(task Task, out any) error {
	raw := task.Config
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}")
	}
	kind := promotion.KindOf(task.Uses)
	if kind == nil {
		return terminalf("the step %s has no config vocabulary", task.Uses)
	}
	if problems := check(kind.Config, raw, ""); len(problems) > 0 {
		return wrongConfig(task.Uses, "%s", strings.Join(problems, "; "))
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(out); err != nil {
		return terminalf("the config of %s cannot be read: %w", task.Uses, err)
	}
	return nil
}

func wrongConfig(uses, format string, args ...any) error {
	return terminalf("the config of %s is wrong: %s", uses, fmt.Sprintf(format, args...))
}

// check compares one value with its field. at is its place, for the sentences.
func check(f promotion.Field, raw json.RawMessage, at string) []string {
	if got := typeOf(raw); !fits(f.Type, got) {
		return []string{fmt.Sprintf("%s is %s, it must be %s", place(at), got, article(f.Type))}
	}
	switch f.Type {
	case promotion.TypeObject:
		return checkObject(f, raw, at)
	case promotion.TypeList:
		return checkList(f, raw, at)
	case promotion.TypeString:
		return checkString(f, raw, at)
	case promotion.TypeInt:
		if n, err := strconv.Atoi(string(bytes.TrimSpace(raw))); f.Least > 0 && (err != nil || n < f.Least) {
			return []string{fmt.Sprintf("%s is %s, it must be at least %d", place(at), raw, f.Least)}
		}
	}
	return nil
}

func checkObject(f promotion.Field, raw json.RawMessage, at string) []string {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(raw, &values); err != nil {
		return []string{fmt.Sprintf("%s is not JSON: %v", place(at), err)}
	}
	if f.Required && f.Open && len(values) == 0 {
		return []string{fmt.Sprintf("%s is empty", place(at))}
	}
	var problems []string
	var names []string
	for _, field := range f.Fields {
		names = append(names, field.Name)
		value, given := values[field.Name]
		switch {
		case given && !field.Required && typeOf(value) == "null" && field.Type != promotion.TypeScalar: // as if it were not there
		case given:
			problems = append(problems, check(field, value, join(at, field.Name))...)
		case field.Required:
			problems = append(problems, fmt.Sprintf("%s is required", join(at, field.Name)))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(names, key) && !f.Open {
			problems = append(problems, fmt.Sprintf("%s is not a key that it knows%s", join(at, key), didYouMean(key, names)))
		}
	}
	if given := givenOf(f.Exactly, values); len(f.Exactly) > 0 && len(given) != 1 {
		problems = append(problems, fmt.Sprintf("%s needs one of %s, and only one", place(at), strings.Join(f.Exactly, " and ")))
	}
	for _, group := range f.OneOf {
		if given := givenOf(group, values); len(given) > 1 {
			problems = append(problems, fmt.Sprintf("%s has %s, which exclude each other", place(at), strings.Join(given, " and ")))
		}
	}
	return problems
}

// givenOf returns the keys of a group that say something.
func givenOf(group []string, values map[string]json.RawMessage) []string {
	return slices.DeleteFunc(slices.Clone(group), func(key string) bool { return empty(values[key]) })
}

func checkList(f promotion.Field, raw json.RawMessage, at string) []string {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return []string{fmt.Sprintf("%s is not JSON: %v", place(at), err)}
	}
	if f.Required && len(items) == 0 {
		return []string{fmt.Sprintf("%s is empty", place(at))}
	}
	var problems []string
	for i, item := range items {
		problems = append(problems, check(*f.Items, item, join(at, fmt.Sprint(i)))...)
	}
	return problems
}

func checkString(f promotion.Field, raw json.RawMessage, at string) []string {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return []string{fmt.Sprintf("%s is not JSON: %v", place(at), err)}
	}
	if f.Required && !f.MayBeEmpty && s == "" {
		return []string{fmt.Sprintf("%s is empty", place(at))}
	}
	if len(f.Enum) > 0 && !slices.Contains(f.Enum, s) {
		return []string{fmt.Sprintf("%s is %q, it must be one of %s", place(at), s, strings.Join(f.Enum, ", "))}
	}
	return nil
}

// typeOf names the type of a JSON value as sentences do.
func typeOf(raw json.RawMessage) string {
	text := string(bytes.TrimSpace(raw))
	switch {
	case text == "" || !json.Valid(raw):
		return "not JSON"
	case text[0] == '{':
		return "an object"
	case text[0] == '[':
		return "a list"
	case text[0] == '"':
		return "a string"
	case text == "null":
		return "null"
	case text == "true", text == "false":
		return "a boolean"
	case strings.ContainsAny(text, ".eE"):
		return "a number"
	}
	return "an integer"
}

func fits(want promotion.Type, got string) bool {
	if want == promotion.TypeScalar {
		return got != "an object" && got != "a list" && got != "not JSON"
	}
	return got == article(want)
}

func article(t promotion.Type) string {
	switch t {
	case promotion.TypeScalar:
		return "a string, a number, a boolean or null"
	case promotion.TypeInt, promotion.TypeObject:
		return "an " + string(t)
	}
	return "a " + string(t)
}

// empty reports whether a key is absent, null, or an empty string or list.
func empty(raw json.RawMessage) bool {
	text := string(bytes.TrimSpace(raw))
	return text == "" || text == "null" || text == `""` || text == "[]"
}

func join(at, part string) string {
	if at == "" {
		return part
	}
	return at + "." + part
}

func place(at string) string {
	if at == "" {
		return "it"
	}
	return at
}

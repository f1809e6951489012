package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/vm/runtime"
)

// function is one that expressions may call; types say with what.
type function struct {
	call  func(args ...any) (any, error)
	types []any
}

// functions are Kargo's, and those of expr-lang that we replace: some because
// they differ from run to run, some because they can multiply what they get.
func (ev *evaluation) functions() map[string]*function {
	one := []any{new(func(any) any)}
	repo := []any{new(func(any) any), new(func(any, any) any)}
	return map[string]*function{
		fnMember:    {ev.callMember, []any{new(func(any, any, bool) any)}},
		fnSpend:     {func(a ...any) (any, error) { return a[0], ev.budget.spend(a[0]) }, one},
		fnSpendMore: {func(a ...any) (any, error) { return a[0], ev.budget.spendMore(a[0]) }, one},

		"quote":       {quote, one},
		"unsafeQuote": {unsafeQuote, one},
		"asJSON":      {asJSON, one},
		"asYAML":      {asYAML, one},
		"fromJSON":    {fromJSON, []any{new(func(string) any)}},

		"warehouse":  {warehouse, []any{new(func(string) any)}},
		"commitFrom": {ev.commitFrom, repo},
		"imageFrom":  {ev.imageFrom, repo},
		"chartFrom":  {ev.chartFrom, append(repo, new(func(any, any, any) any))},

		"freightMetadata": {ev.freightMetadata, []any{new(func() any), new(func(any) any)}},
		"stageMetadata":   {ev.stageMetadata, []any{new(func() any), new(func(any) any)}},

		"success": {func(...any) (any, error) { return !ev.env.failed(), nil }, []any{new(func() bool)}},
		"failure": {func(...any) (any, error) { return ev.env.failed(), nil }, []any{new(func() bool)}},
		"always":  {func(...any) (any, error) { return true, nil }, []any{new(func() bool)}},
		"status":  {ev.status, []any{new(func(string) string)}},

		"semverParse": {semverParse, []any{new(func(string) any)}},
		"semverDiff":  {semverDiff, []any{new(func(string, string) string)}},

		"now":     {func(...any) (any, error) { return ev.env.now(), nil }, []any{new(func() any)}},
		"keys":    {keys, one},
		"values":  {values, one},
		"toPairs": {toPairs, one},
		"join":    {ev.join, []any{new(func(any) string), new(func(any, string) string)}},
		"repeat":  {ev.repeat, []any{new(func(string, int) string)}},
		"replace": {ev.replace, []any{new(func(string, string, string) string), new(func(string, string, string, int) string)}},
	}
}

// Functions are the names of the functions that expressions have besides those of
// expr-lang, or in place of them; sorted.
func Functions() []string {
	all := sortedKeys(new(evaluation).functions())
	return slices.DeleteFunc(all, func(name string) bool { return strings.Contains(name, " ") }) // no expression can spell these
}

func (ev *evaluation) callMember(args ...any) (any, error) {
	return ev.member(args[0], args[1], args[2].(bool))
}

// texts reads arguments that must be strings.
func texts(function string, args ...any) ([]string, error) {
	out := make([]string, len(args))
	for i, arg := range args {
		s, ok := arg.(string)
		if !ok {
			return nil, fmt.Errorf("%s takes a string, not %s", function, describe(arg))
		}
		out[i] = s
	}
	return out, nil
}

// join is expr-lang's, but pays for the result before it makes it.
func (ev *evaluation) join(args ...any) (any, error) {
	glue := ""
	if len(args) == 2 {
		s, err := texts("join", args[1])
		if err != nil {
			return nil, err
		}
		glue = s[0]
	}
	items, err := elements(args[0])
	if err != nil {
		return nil, fmt.Errorf("join: %w", err)
	}
	words, err := texts("join of a list", items...)
	if err != nil {
		return nil, err
	}
	if err := ev.budget.take(len(glue) * len(words)); err != nil {
		return nil, err
	}
	return strings.Join(words, glue), nil
}

// repeat is expr-lang's, but pays for the result before it makes it.
func (ev *evaluation) repeat(args ...any) (any, error) {
	s, err := texts("repeat", args[0])
	if err != nil {
		return nil, err
	}
	n := runtime.ToInt(args[1])
	if n < 0 || n > maxFuel {
		return nil, fmt.Errorf("repeat takes a count from 0 to %d", maxFuel)
	}
	if err := ev.budget.take(len(s[0]) * n); err != nil {
		return nil, err
	}
	return strings.Repeat(s[0], n), nil
}

// replace is expr-lang's, but pays for the result before it makes it.
func (ev *evaluation) replace(args ...any) (any, error) {
	s, err := texts("replace", args[:3]...)
	if err != nil {
		return nil, err
	}
	n := -1
	if len(args) == 4 {
		n = runtime.ToInt(args[3])
	}
	found := strings.Count(s[0], s[1])
	if n >= 0 {
		found = min(found, n)
	}
	if err := ev.budget.take(len(s[0]) + found*len(s[2])); err != nil {
		return nil, err
	}
	return strings.Replace(s[0], s[1], s[2], n), nil
}

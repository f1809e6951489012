package expr

import (
	"errors"
	"fmt"
	"reflect"
)

// The bounds of an evaluation. Expressions come from whoever may write to a
// repository, and run in the process that serves all of them.
const (
	maxExpression = 16 << 10 // bytes of one expression; bounds the parser's recursion
	maxNodes      = 2000     // of its syntax tree
	maxDepth      = 64       // of values inside values
	maxMemory     = 1 << 17  // elements that the virtual machine makes for one expression
	maxFuel       = 32 << 20 // units that one call may spend, see budget
	elementCost   = 8        // units for a value; text costs one more per byte
	matchCost     = 64       // units per byte that a regular expression looks at
	patternCost   = 50_000   // units to compile a regular expression
)

var (
	errTooMuch = errors.New("the expression takes too much work or makes too large a value")
	errTooDeep = fmt.Errorf("the value is nested more than %d deep", maxDepth)
)

// budget is what an evaluation may still spend. Every operation pays for its
// operands and its result; a value that stands in several places counts at each
// of them.
type budget struct{ fuel int }

func newBudget() budget { return budget{fuel: maxFuel} }

func (b *budget) take(units int) error {
	if units < 0 || units > b.fuel {
		b.fuel = 0
		return errTooMuch
	}
	b.fuel -= units
	return nil
}

// spend pays for a value.
func (b *budget) spend(value any) error { return b.pay(value, 0) }

func (b *budget) pay(value any, depth int) error {
	if depth > maxDepth {
		return errTooDeep
	}
	switch v := value.(type) {
	case string:
		return b.take(elementCost + len(v))
	case []any:
		for _, item := range v {
			if err := b.pay(item, depth+1); err != nil {
				return err
			}
		}
		return b.take(elementCost)
	}
	return b.payKind(reflect.ValueOf(value), depth)
}

func (b *budget) payKind(v reflect.Value, depth int) error {
	switch v.Kind() {
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			if err := errors.Join(b.pay(it.Key().Interface(), depth+1), b.pay(it.Value().Interface(), depth+1)); err != nil {
				return err
			}
		}
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 || v.Type().Elem().Kind() == reflect.Int {
			return b.take(elementCost * (1 + v.Len()))
		}
		for i := range v.Len() {
			if err := b.pay(v.Index(i).Interface(), depth+1); err != nil {
				return err
			}
		}
	}
	return b.take(elementCost)
}

// spendMore pays for an operation that is worse than linear: matching text, or
// comparing each element of a list with each other.
func (b *budget) spendMore(value any) error {
	if s, ok := value.(string); ok {
		return b.take(patternCost + matchCost*len(s))
	}
	v := reflect.ValueOf(value)
	if v.Kind() != reflect.Slice {
		return b.take(elementCost)
	}
	if v.Len() > maxMemory {
		return errTooMuch
	}
	return errors.Join(b.take(elementCost*v.Len()*v.Len()), b.spend(value))
}

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
	maxFuel       = 8 << 20  // elements and bytes that one call may look at or make
)

var (
	errTooMuch = errors.New("the expression takes too much work or makes too large a value")
	errTooDeep = fmt.Errorf("the value is nested more than %d deep", maxDepth)
)

// budget is what an evaluation may still spend. Every operation pays for its
// operands and its result: an element or a byte of text is one unit, a value
// that stands in several places counts at each of them.
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
		return b.take(1 + len(v))
	case []any:
		for _, item := range v {
			if err := b.pay(item, depth+1); err != nil {
				return err
			}
		}
		return b.take(1)
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
			return b.take(1 + v.Len())
		}
		for i := range v.Len() {
			if err := b.pay(v.Index(i).Interface(), depth+1); err != nil {
				return err
			}
		}
	}
	return b.take(1)
}

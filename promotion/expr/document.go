package expr

import (
	"encoding/json"
	"errors"
)

// varDocument is the variable that $env becomes. No expression can spell it.
const varDocument = "the document"

// Document is the content of a file that expressions read values out of. All of
// its values together may be read as much as one Evaluate may spend.
type Document struct{ ev *evaluation }

// NewDocument takes the content as nil, bool, string, json.Number, Go's numbers,
// []any and map[string]any. The caller must not use it afterwards.
func NewDocument(content any) *Document {
	content = numbers(content)
	scope := map[string]any{}
	if members, ok := content.(map[string]any); ok {
		for name, value := range members {
			scope[name] = value
		}
	}
	scope[varDocument] = content
	ev := &evaluation{scope: scope, env: &Env{}, budget: newBudget(), document: true}
	return &Document{ev}
}

// Value evaluates an expression, which stands without delimiters. Its variables
// are the keys of the document, and $env is all of it; a key that the document
// lacks is null, as in Kargo. Of the functions only those are there that need
// nothing but their arguments.
func (d *Document) Value(source string) (json.RawMessage, error) {
	value, err := d.ev.run(source)
	if err != nil {
		return nil, err
	}
	return encode(value)
}

// ofPromotion are the functions that need the facts of a promotion.
var ofPromotion = []string{"warehouse", "commitFrom", "imageFrom", "chartFrom", "success", "failure", "always", "status", "now", "freightMetadata", "stageMetadata"}

// withoutPromotion replaces the functions that need a promotion by a refusal.
func withoutPromotion(functions map[string]*function) map[string]*function {
	for _, name := range ofPromotion {
		functions[name] = &function{
			call:  func(...any) (any, error) { return nil, errors.New(name + "() is not there in expressions over a file") },
			types: []any{new(func(...any) any)},
		}
	}
	return functions
}

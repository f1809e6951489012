package promotiontest

import (
	"reflect"
	"slices"
)

// Texts are the paths of all strings that a value holds, each once: fields by name,
// elements of lists as [], of maps as {}. Keys of maps are none of them.
func Texts(value any) []string {
	var paths []string
	eachText(reflect.ValueOf(value), "", func(path string, _ func(string)) { paths = append(paths, path) })
	slices.Sort(paths)
	return slices.Compact(paths)
}

// SetTexts sets all strings of a value that have a path. The value must be a pointer
// to something of the caller's own.
func SetTexts(value any, path, text string) {
	eachText(reflect.ValueOf(value), "", func(at string, set func(string)) {
		if at == path {
			set(text)
		}
	})
}

func eachText(v reflect.Value, path string, visit func(path string, set func(string))) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			eachText(v.Elem(), path, visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				eachText(v.Field(i), path+"."+f.Name, visit)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			eachText(v.Index(i), path+"[]", visit)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			own := reflect.New(v.Type().Elem()).Elem()
			own.Set(v.MapIndex(key))
			changed := false
			eachText(own, path+"{}", func(at string, set func(string)) {
				visit(at, func(text string) { set(text); changed = true })
			})
			if changed {
				v.SetMapIndex(key, own)
			}
		}
	case reflect.String:
		visit(path, v.SetString)
	}
}

package ledger

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"time"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// randomState fills every field of a state that the ledger keeps, whatever
// fields there will be.
func randomState(r *rand.Rand) *promotion.State {
	s := new(promotion.State)
	fill(r, reflect.ValueOf(s).Elem(), 0)
	s.Version, s.Revision, s.Local = promotion.StateVersion, r.Int64N(1<<40)+1, promotion.Local{}
	s.Repo.ID, s.Issue = r.Int64N(1<<40)+1, r.IntN(1<<20)+1
	return s
}

var (
	timeType = reflect.TypeFor[time.Time]()
	rawType  = reflect.TypeFor[json.RawMessage]()
)

func fill(r *rand.Rand, v reflect.Value, depth int) {
	switch v.Type() {
	case timeType:
		v.Set(reflect.ValueOf(time.Unix(r.Int64N(4e9), r.Int64N(1e9)).UTC()))
		return
	case rawType:
		v.Set(reflect.ValueOf(json.RawMessage([]string{`1`, `"a"`, `{"n":12345678901234567890}`, `[null,true]`}[r.IntN(4)])))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(randomText(r))
	case reflect.Int, reflect.Int64:
		v.SetInt(r.Int64N(1 << 50))
	case reflect.Uint8, reflect.Uint32:
		v.SetUint(uint64(r.IntN(200)))
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(r, v.Elem(), depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") != "-" { // those are never kept
				fill(r, v.Field(i), depth+1)
			}
		}
	case reflect.Slice:
		for range r.IntN(4) {
			item := reflect.New(v.Type().Elem()).Elem()
			fill(r, item, depth+1)
			v.Set(reflect.Append(v, item))
		}
	case reflect.Map:
		fillMap(r, v, depth)
	default:
		panic(fmt.Sprintf("a state holds a %s, which this test cannot fill", v.Kind()))
	}
}

func fillMap(r *rand.Rand, v reflect.Value, depth int) {
	for range r.IntN(4) {
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
		key, item := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(r, key, depth+1)
		fill(r, item, depth+1)
		v.SetMapIndex(key, item)
	}
}

// bits are what random texts are made of: words, and all that means something
// to Markdown, HTML, Mermaid, GitHub or the record itself.
var bits = []string{
	"web", "é", "日本", " ", " ", "\n", "`", "``", "|", "*", "_", "[", "]", "(", ")", "<", ">", "&", "#", "1", "@", "octocat", "-", "--", "-->",
	"<!--", blockOpen, blockEnd, "\\", "!", "~", "$", "://", "https", "www.", "closes", "/issues/", "gh-", "\u202e", "\x00", "<b>", "&#64;", ".", ":", "\t",
	string(promotion.PhaseRunning), "queued", "dev",
}

func randomText(r *rand.Rand) string {
	text := ""
	for range r.IntN(12) {
		text += bits[r.IntN(len(bits))]
	}
	return text
}

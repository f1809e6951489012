package ledger

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/promotion"
)

// Each folder testdata/versionN was written by the last binary whose states had
// version N: a record in two parts that has a value in every field, the state
// that it holds, and the fields that such a state has. They never change.
func versions(t *testing.T) map[int]string {
	t.Helper()
	folders, err := filepath.Glob("testdata/version*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no records of earlier versions: %v", err)
	}
	found := map[int]string{}
	for _, folder := range folders {
		n, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(folder), "version"))
		if err != nil {
			t.Fatal(err)
		}
		found[n] = folder
	}
	return found
}

func stored(t *testing.T, folder, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What an older version wrote is read whole, and becomes a state of this one:
// written again, a binary of that version leaves it alone.
func TestOlderRecordsAreRead(t *testing.T) {
	for n, folder := range versions(t) {
		var want promotion.State
		raw := stored(t, folder, "state.json")
		if err := json.Unmarshal([]byte(raw), &want); err != nil {
			t.Fatal(err)
		}
		part := lookup([]string{stored(t, folder, "part.md")})
		got, err := Decode(stored(t, folder, "body.md"), part, [][]byte{testKey}, want.Repo.ID, want.Issue, false)
		if err != nil {
			t.Fatalf("version %d: %v", n, err)
		}
		if got.Version != promotion.StateVersion {
			t.Errorf("version %d: the state read from it has version %d", n, got.Version)
		}
		if lost := lost(t, raw, got); lost != "" {
			t.Errorf("version %d: %s", n, lost)
		}
		again := encode(t, got, day).Text
		if !strings.Contains(again, blockOpen+strconv.Itoa(promotion.StateVersion)+" ") {
			t.Errorf("version %d: written again it is not of version %d", n, promotion.StateVersion)
		}
	}
}

// lost says which value of an older state's JSON the state read from it lacks.
func lost(t *testing.T, raw string, got *promotion.State) string {
	t.Helper()
	written, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	old := asJSON(t, raw)
	delete(old, "version")
	return differs("", old, asJSON(t, string(written)))
}

func asJSON(t *testing.T, text string) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var read map[string]any
	if err := decoder.Decode(&read); err != nil {
		t.Fatal(err)
	}
	return read
}

// differs finds what is in a and not in b; b may hold more.
func differs(path string, a, b any) string {
	switch a := a.(type) {
	case map[string]any:
		b, _ := b.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(a)) {
			if found := differs(path+"."+key, a[key], b[key]); found != "" {
				return found
			}
		}
	case []any:
		b, _ := b.([]any)
		if len(a) != len(b) {
			return path + " has another length"
		}
		for i := range a {
			if found := differs(path+"["+strconv.Itoa(i)+"]", a[i], b[i]); found != "" {
				return found
			}
		}
	default:
		if a != b {
			return path + ": " + cmp.Diff(a, b)
		}
	}
	return ""
}

// A field that an older version has stays, with its kind; and a version's fields
// stay what they are: an older binary would drop others when it writes.
func TestFieldsOfVersions(t *testing.T) {
	now := fields()
	for n, folder := range versions(t) {
		old := strings.Fields(strings.ReplaceAll(stored(t, folder, "shape.txt"), " ", "="))
		for _, field := range old {
			if !slices.Contains(now, field) {
				t.Errorf("version %d has the field %s, this one does not: what older records hold of it would be lost", n, field)
			}
		}
		if n == promotion.StateVersion && len(now) != len(old) {
			t.Errorf("the state has other fields than version %d had: raise promotion.StateVersion, and keep a record of that version here", n)
		}
	}
}

// fields are the paths of all that a state's JSON may hold, each with its kind.
func fields() []string {
	found := map[string]bool{}
	walk(reflect.TypeFor[promotion.State](), "", found)
	return slices.Sorted(maps.Keys(found))
}

func walk(t reflect.Type, path string, found map[string]bool) {
	switch {
	case t == timeType:
		found[path+"=time"] = true
	case t == rawType:
		found[path+"=any"] = true
	case t == reflect.TypeFor[promotion.Local](): // the ledger leaves it out
	case t.Kind() == reflect.Pointer:
		walk(t.Elem(), path, found)
	case t.Kind() == reflect.Slice:
		walk(t.Elem(), path+"[]", found)
	case t.Kind() == reflect.Map:
		walk(t.Elem(), path+"{}", found)
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case f.Anonymous && name == "":
				walk(f.Type, path, found)
			case name == "":
				walk(f.Type, path+"."+f.Name, found)
			default:
				walk(f.Type, path+"."+name, found)
			}
		}
	default:
		found[path+"="+t.Kind().String()] = true
	}
}

// A newer version's record is left alone, however much of it could be read: not
// decoded, and not written over.
func TestNewerRecordsAreLeftAlone(t *testing.T) {
	s := base()
	s.Freeze = &promotion.Mark{By: "octocat", At: day}
	data, err := pack([]byte(`{"version":4,"repo":{"id":42},"freeze":{"by":"octocat"},"somethingNew":{"a":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	newer := block{version: promotion.StateVersion + 1, repo: 42, issue: 5, revision: 8, data: data}.line(testKey)
	if got, err := Decode(encode(t, s, day).Text+newer, nil, [][]byte{testKey}, 42, 5, true); !errors.Is(err, ErrNewer) {
		t.Errorf("decoded %+v, %v; want ErrNewer", got, err)
	}
	s.Version = promotion.StateVersion + 1
	if _, err := Encode(s, testKey, testLinks, day); !errors.Is(err, ErrNewer) {
		t.Errorf("wrote over it: %v, want ErrNewer", err)
	}
}

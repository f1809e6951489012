package step

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/stagecoach-app/stagecoach/gitops/step/yamledit"
	"github.com/stagecoach-app/stagecoach/promotion"
)

// The modes of git that a step tells apart.
const (
	ModeFolder     uint32 = 0o040000
	ModeFile       uint32 = 0o100644
	ModeExecutable uint32 = 0o100755
	ModeLink       uint32 = 0o120000
	ModeSubmodule  uint32 = 0o160000
)

// Workspace is the file tree that steps edit. Paths are clean, relative, and
// have slashes; "." is the root. A path that is not there is fs.ErrNotExist.
type Workspace interface {
	// ReadFile returns a file's content; of a link its target, as git stores it.
	// A folder is an error.
	ReadFile(ctx context.Context, path string) ([]byte, error)
	// Stat describes what stands at path itself: it follows no link.
	Stat(ctx context.Context, path string) (Entry, error)
	// ReadDir lists a folder, sorted by name.
	ReadDir(ctx context.Context, path string) ([]Entry, error)
	// WriteFile puts a file or link at path and makes the folders above it. Mode
	// 0 keeps the mode that the file has, or is 0100644.
	WriteFile(ctx context.Context, path string, content []byte, mode uint32) error
	// Remove takes a file, or a folder with all below it, away.
	Remove(ctx context.Context, path string) error
}

// Entry is what stands at a path.
type Entry struct {
	Name string // the path's last part
	Mode uint32 // git's; see the constants
	Size int64  // bytes; of a folder, or when it is not known without reading, of no meaning
	// ID names the content of a file or link: what has the same ID holds the same
	// bytes. Empty: it is not known without reading.
	ID string
}

// placer is a workspace that can write what stands in it already without reading
// it, by the ID that Stat and ReadDir told: so files of any size can be copied.
type placer interface {
	Place(ctx context.Context, path, id string, mode uint32) error
	// Gather brings here, at once, what Place has to read after all.
	Gather(ctx context.Context, ids ...string) error
}

// Task is one step to run.
type Task struct {
	Uses    string
	Config  json.RawMessage // an object, its expressions evaluated; empty: {}
	Freight *promotion.Freight
	Remote  *Remote // nil: the network is not used
}

// Remote is how steps reach chart repositories and registries.
type Remote struct {
	Client *http.Client // guards where requests go, see gitops/egress
	// Login gives what may be shown at an address: a host and the path of a
	// repository or file there, without a scheme. nil, or its zero value: nobody is
	// logged in there.
	Login func(address string) Login
	// Bases reaches what kustomizations name elsewhere; nil: they may name nothing.
	Bases Bases
}

// Login is a user's name and password, or a token in place of them.
type Login struct{ User, Password, Token string }

// ErrOffline is why a step failed that needs the network, where Task.Remote is nil.
var ErrOffline = errors.New("it needs the network, which is not used here")

// Outcome is what a step that ran leaves besides its edits.
type Outcome struct {
	Failed  bool                       // the answer was no: the promotion shall fail, and Message says why
	Output  map[string]json.RawMessage // for other steps, as Kargo documents it
	Message string                     // one sentence of what it did
	// Metadata is what shall be kept with freight or stages. Whoever runs the step
	// keeps it, or fails the step; see promotion.State.SetMetadata.
	Metadata []promotion.MetadataUpdate
}

var steps = map[string]Func{
	"compose-output":      composeOutput,
	"copy":                runCopy,
	"delete":              runDelete,
	"fail":                fail,
	"file-write":          writeFile,
	"git-clear":           clearMount,
	"hcl-update":          updateHCL,
	"json-parse":          parseJSON,
	"json-update":         updateJSON,
	"kustomize-set-image": setImages,
	"regex-update":        updateRegex,
	"set-metadata":        setMetadata,
	"sync":                syncFolders,
	"toml-parse":          parseTOML,
	"toml-update":         updateTOML,
	"yaml-merge":          mergeYAML,
	"yaml-parse":          parseYAML,
	"yaml-update":         updateYAML,
}

// Names lists the steps that Run knows, sorted.
func Names() []string { return slices.Sorted(maps.Keys(steps)) }

// Run runs one step. A step that is not known is a Terminal error.
func Run(ctx context.Context, ws Workspace, task Task) (Outcome, error) {
	run, ok := steps[task.Uses]
	if kind := promotion.KindOf(task.Uses); !ok && kind != nil && kind.Class == promotion.ClassEdit {
		return Outcome{}, terminalf("the step %q is not linked into this program", task.Uses)
	}
	if !ok {
		return Outcome{}, terminalf("there is no step %q that edits files%s; there are %s", task.Uses, didYouMean(task.Uses, Names()), strings.Join(Names(), ", "))
	}
	if err := ctx.Err(); err != nil {
		return Outcome{}, err
	}
	outcome, err := run(ctx, ws, task)
	if err != nil {
		return Outcome{}, err
	}
	return outcome, nil
}

// terminalf is fmt.Errorf for errors that trying again cannot help.
func terminalf(format string, args ...any) error {
	return promotion.Terminal(fmt.Errorf(format, args...))
}

// didYouMean names the option that is a few edits away from got, for the end of a clause.
func didYouMean(got string, options []string) string {
	if best := closest(got, options); best != "" {
		return fmt.Sprintf(" (did you mean %q?)", best)
	}
	return ""
}

func closest(got string, options []string) string {
	best, bestCost := "", max(1, len(got)/3)+1
	for _, option := range options {
		if cost := yamledit.Distance(strings.ToLower(got), strings.ToLower(option)); cost < bestCost {
			best, bestCost = option, cost
		}
	}
	return best
}

// Texts makes an output of strings.
func Texts(output map[string]string) map[string]json.RawMessage {
	raw := make(map[string]json.RawMessage, len(output))
	for name, text := range output {
		raw[name], _ = json.Marshal(text) // a string always has a JSON form
	}
	return raw
}

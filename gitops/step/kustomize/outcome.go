package kustomize

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stagecoach-app/stagecoach/gitops/step"
	"github.com/stagecoach-app/stagecoach/gitops/step/overhear"
)

// outcome says what was written, what was taken from elsewhere, and what Kustomize
// warns of.
func (t *tree) outcome(outPath string, changed int) step.Outcome {
	out := step.Outcome{Message: message(outPath, changed, t.taken()) + t.warnings.Told("Kustomize")}
	remotes := map[string]string{}
	for _, u := range t.used {
		remotes[u.String()] = u.version
	}
	raw, _ := json.Marshal(remotes) // texts always have a JSON form
	out.Output = map[string]json.RawMessage{"remotes": raw}
	return out
}

func message(outPath string, changed int, taken string) string {
	switch changed {
	case 0:
		return fmt.Sprintf("%s holds these manifests already%s.", outPath, taken)
	case 1:
		return fmt.Sprintf("Rendered to %s (1 file changed)%s.", outPath, taken)
	}
	return fmt.Sprintf("Rendered to %s (%d files changed)%s.", outPath, changed, taken)
}

// mostTaken is how many things from elsewhere a message names.
const mostTaken = 3

// taken names what was taken from elsewhere, and which version of it.
func (t *tree) taken() string {
	var parts []string
	for i, u := range t.used {
		if i == mostTaken {
			parts = append(parts, fmt.Sprintf("%d more", len(t.used)-i))
			break
		}
		parts = append(parts, overhear.Shorten(strings.TrimPrefix(u.url, "https://"))+" at "+u.short())
	}
	if len(parts) == 0 {
		return ""
	}
	return ", with " + strings.Join(parts, ", ")
}

// short is a commit in the usual length, or the beginning of a digest.
func (u used) short() string {
	if digest, ok := strings.CutPrefix(u.version, "sha256:"); ok {
		return "sha256:" + digest[:min(12, len(digest))]
	}
	return u.version[:min(12, len(u.version))]
}

// String is the address without the folder: the same for all that is taken from one commit.
func (u used) String() string {
	if !u.git || u.ref == "" {
		return u.url
	}
	return u.url + "?ref=" + u.ref
}

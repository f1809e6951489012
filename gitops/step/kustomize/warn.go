package kustomize

import (
	"os"
	"strings"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/stagecoach-app/stagecoach/gitops/step/overhear"
)

// deprecated notes what Kustomize would say on standard error.
func (t *tree) deprecated(found at, k *types.Kustomization) {
	said := k.CheckDeprecatedFields()
	if said == nil {
		return
	}
	for _, text := range *said {
		text = strings.TrimPrefix(text, "# Warning: ")
		text, _, _ = strings.Cut(text, " Run 'kustomize edit fix'") // there is no such program here
		t.warnings.Add(found.String(), text)
	}
}

// listen takes up what the library writes to the log and to standard error, until
// the function that it returns is called. Only one build runs at a time.
func (t *tree) listen() (stop func()) {
	unhush := func() {}
	if t.warnings.Any() { // then the library would write them to the terminal as well
		unhush = hush()
	}
	quiet := overhear.Listen(func(text string, fatal bool) {
		if fatal {
			panic(gaveUp(text))
		}
		t.warnings.Add("this build", text)
	})
	return func() {
		quiet()
		unhush()
	}
}

// gaveUp is what log.Fatal of the library becomes: it would end the process.
type gaveUp string

// hush has standard error lead nowhere. The library prints to the variable, and asks
// nobody; nothing else of this program does so while it serves.
func hush() func() {
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return func() {}
	}
	before := os.Stderr
	os.Stderr = nowhere
	return func() {
		os.Stderr = before
		_ = nowhere.Close()
	}
}

package page

import (
	"maps"
	"net/http"
	"slices"

	"github.com/stagecoach-app/stagecoach/server/ghsim"
)

// manifestPage asks whether an App may be made as a manifest wants it.
type manifestPage struct {
	ghsim.Manifest
	Raw, State, Owner string
	Wants             []string // permissions, as "name: level"
}

// manifest is /settings/apps/new, or that of an organization, with the form field of a manifest.
func (v *visit) manifest() error {
	raw := v.r.PostForm.Get("manifest")
	m, err := v.sim.ReadManifest(raw)
	if err != nil {
		return failed(http.StatusUnprocessableEntity, "Invalid GitHub App configuration. The configuration does not appear to be a valid GitHub App manifest: "+err.Error()+".")
	}
	it := manifestPage{Manifest: m, Raw: raw, State: v.r.URL.Query().Get("state"), Owner: v.r.PathValue("org")}
	for _, name := range slices.Sorted(maps.Keys(m.Permissions)) {
		it.Wants = append(it.Wants, name+": "+m.Permissions[name])
	}
	if _, err := v.mayLeadTo(m.RedirectURL); err != nil {
		return err
	}
	return v.show("manifest", "Create a GitHub App", "", it)
}

// createApp is its button. The name may have been changed.
func (v *visit) createApp() error {
	m, err := v.sim.ReadManifest(v.r.PostForm.Get("manifest"))
	if err != nil {
		return failed(http.StatusUnprocessableEntity, err.Error())
	}
	m.Name = v.r.PostForm.Get("name")
	to, err := v.sim.CreateFromManifest(m, v.r.PostForm.Get("owner"), v.me, v.r.PostForm.Get("state"))
	return v.answer(to, err)
}

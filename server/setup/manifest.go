package setup

import (
	"encoding/json"
	"fmt"

	"github.com/palantir/go-githubapp/githubapp"
	"go.yaml.in/yaml/v3"
)

// Callback is where GitHub leads people back to who sign in, below the public URL.
const Callback = "/api/github/auth"

// maxName is how long the name of an App may be.
const maxName = 34

// manifest is app.yml with the addresses of one server, as the JSON that GitHub's page takes.
func manifest(app []byte, name, public, redirect string) (string, error) {
	m := map[string]any{}
	if err := yaml.Unmarshal(app, &m); err != nil {
		return "", fmt.Errorf("the manifest app.yml: %w", err)
	}
	m["name"] = name
	m["hook_attributes"] = map[string]any{"url": public + githubapp.DefaultWebhookRoute, "active": true}
	m["callback_urls"] = []string{public + Callback}
	m["setup_url"] = public + "/"
	m["redirect_url"] = redirect
	raw, err := json.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("the manifest app.yml: %w", err)
	}
	return string(raw), nil
}

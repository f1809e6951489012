package deploy_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/stagecoach-app/stagecoach/config"
)

// credentials is a file as setup writes it. The key is made once: that is slow.
var credentials = sync.OnceValue(func() string {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	text := string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
	return "GITHUB_APP_INTEGRATION_ID=1\nGITHUB_APP_WEBHOOK_SECRET=hook\nGITHUB_APP_PRIVATE_KEY='" + strings.ReplaceAll(text, "\n", `\n`) +
		"'\nSTAGECOACH_PUBLIC_URL=https://promote.example.com\nSTAGECOACH_METRICS_TOKEN=secret\n"
})

func TestCompose(t *testing.T) {
	var file struct {
		Services map[string]struct {
			EnvFile     []string `yaml:"env_file"`
			Environment map[string]string
			Volumes     []string
			ReadOnly    bool `yaml:"read_only"`
			User        string
			CapDrop     []string `yaml:"cap_drop"`
		}
		Volumes map[string]any
	}
	for _, node := range documents(t, read(t, "compose.yaml")) {
		must(t, node.Decode(&file))
	}
	s := file.Services["stagecoach"]
	var mounts []string
	for _, v := range s.Volumes {
		name, at, _ := strings.Cut(v, ":")
		if _, ok := file.Volumes[name]; !ok {
			t.Errorf("the volume %s is not declared", name)
		}
		mounts = append(mounts, at)
	}
	if !s.ReadOnly || s.User != "65532:65532" || !slices.Equal(s.CapDrop, []string{"ALL"}) {
		t.Error("the container may do more than it needs")
	}
	if !slices.Equal(s.EnvFile, []string{"stagecoach.env"}) {
		t.Errorf("the credentials are taken from %v, and setup is told to write stagecoach.env", s.EnvFile)
	}
	starts(t, s.Environment, mounts)
}

// starts sees that the server takes the environment as it is, all of it, over the file of credentials, and that each
// path in it lies in something that is mounted.
func starts(t *testing.T, env map[string]string, mounts []string) {
	t.Helper()
	file, err := config.ReadEnv("stagecoach.env", []byte(credentials()))
	must(t, err)
	asked := map[string]bool{"SSL_CERT_DIR": true} // which is Go's own
	getenv := config.Over(func(name string) string { asked[name] = true; return env[name] }, file)
	mounted := func(path string) bool {
		return slices.ContainsFunc(mounts, func(m string) bool { return path == m || strings.HasPrefix(path, m+"/") })
	}
	s, err := config.Load("", getenv, func(path string) ([]byte, error) {
		if path != "/metrics-token/token" || !mounted(path) {
			return nil, fs.ErrNotExist
		}
		return []byte("secret\n"), nil
	})
	if err != nil {
		t.Fatalf("the server does not start: %v", err)
	}
	for name := range env {
		if !asked[name] {
			t.Errorf("the server knows no variable %s", name)
		}
	}
	if !mounted(s.DataDir) || s.Addr != ":8080" || s.MetricsToken != "secret" {
		t.Errorf("data in %s, listening on %s; mounted are %v", s.DataDir, s.Addr, mounts)
	}
}

// TestCommentedVariables holds for what is offered in comments what TestCompose
// and TestKubernetes hold for the rest.
func TestCommentedVariables(t *testing.T) {
	asked := map[string]bool{}
	_, _ = config.Load("", func(name string) string { asked[name] = true; return "" }, os.ReadFile)
	variable := regexp.MustCompile(`\b(GITHUB|STAGECOACH)_[A-Z0-9_]+\b`)
	for _, name := range []string{"Dockerfile", "compose.yaml", "kubernetes.yaml", "chart/values.yaml"} {
		content, err := os.ReadFile(name)
		must(t, err)
		for _, v := range variable.FindAllString(string(content), -1) {
			if !asked[v] {
				t.Errorf("%s names %s, which the server does not know", name, v)
			}
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	must(t, err)
	return string(content)
}

// documents are those of a YAML text, empty ones apart.
func documents(t *testing.T, text string) []*yaml.Node {
	t.Helper()
	d := yaml.NewDecoder(strings.NewReader(text))
	var out []*yaml.Node
	for {
		var n yaml.Node
		switch err := d.Decode(&n); {
		case errors.Is(err, io.EOF):
			return out
		case err != nil:
			t.Fatalf("%v in\n%s", err, text)
		}
		if len(n.Content) > 0 && n.Content[0].Kind == yaml.MappingNode {
			out = append(out, &n)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

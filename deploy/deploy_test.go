package deploy_test

import (
	"bytes"
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
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/stagecoach-app/stagecoach/config"
)

func TestCompose(t *testing.T) {
	var file struct {
		Services map[string]struct {
			Environment map[string]string
			Volumes     []string
			Secrets     []string
			ReadOnly    bool `yaml:"read_only"`
			User        string
			CapDrop     []string `yaml:"cap_drop"`
		}
		Volumes map[string]any
		Secrets map[string]struct{ File string }
	}
	for _, node := range documents(t, "compose.yaml") {
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
	for _, name := range s.Secrets {
		if file.Secrets[name].File == "" {
			t.Errorf("the secret %s is not declared", name)
		}
		mounts = append(mounts, "/run/secrets/"+name)
	}
	if !s.ReadOnly || s.User != "65532:65532" || !slices.Equal(s.CapDrop, []string{"ALL"}) {
		t.Error("the container may do more than it needs")
	}
	starts(t, s.Environment, mounts)
}

type probe struct {
	HTTPGet struct{ Path string } `yaml:"httpGet"`
}

type statefulSet struct {
	Spec struct {
		Replicas int
		Template struct {
			Spec struct {
				Token           *bool `yaml:"automountServiceAccountToken"`
				SecurityContext struct {
					RunAsNonRoot bool `yaml:"runAsNonRoot"`
					RunAsUser    int  `yaml:"runAsUser"`
				} `yaml:"securityContext"`
				Containers []struct {
					Env             []struct{ Name, Value string }
					VolumeMounts    []map[string]any `yaml:"volumeMounts"`
					Liveness        probe            `yaml:"livenessProbe"`
					Readiness       probe            `yaml:"readinessProbe"`
					SecurityContext struct {
						Escalation   *bool `yaml:"allowPrivilegeEscalation"`
						ReadOnly     bool  `yaml:"readOnlyRootFilesystem"`
						Capabilities struct{ Drop []string }
					} `yaml:"securityContext"`
				}
			}
		}
	}
}

func TestKubernetes(t *testing.T) {
	var set statefulSet
	for _, node := range documents(t, "kubernetes.yaml") {
		var object struct{ Kind string }
		must(t, node.Decode(&object))
		if object.Kind == "StatefulSet" {
			must(t, node.Decode(&set))
		}
	}
	if set.Spec.Replicas != 1 {
		t.Errorf("%d replicas; a data directory takes one", set.Spec.Replicas)
	}
	pod := set.Spec.Template.Spec
	if len(pod.Containers) != 1 {
		t.Fatalf("%d containers, want one", len(pod.Containers))
	}
	c := pod.Containers[0]
	if pod.Token == nil || *pod.Token || !pod.SecurityContext.RunAsNonRoot || pod.SecurityContext.RunAsUser != 65532 ||
		c.SecurityContext.Escalation == nil || *c.SecurityContext.Escalation || !c.SecurityContext.ReadOnly ||
		!slices.Equal(c.SecurityContext.Capabilities.Drop, []string{"ALL"}) {
		t.Error("the container may do more than it needs")
	}
	if c.Liveness.HTTPGet.Path != "/healthz" || c.Readiness.HTTPGet.Path != "/readyz" {
		t.Error("the probes ask for other paths than the server answers")
	}
	env, mounts := map[string]string{}, []string{}
	for _, e := range c.Env {
		env[e.Name] = e.Value
	}
	for _, m := range c.VolumeMounts {
		mounts = append(mounts, m["mountPath"].(string))
	}
	starts(t, env, mounts)
}

// starts sees that the server takes the environment as it is, all of it, and that
// each path in it lies in something that is mounted.
func starts(t *testing.T, env map[string]string, mounts []string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	must(t, err)
	asked := map[string]bool{}
	getenv := func(name string) string {
		asked[name] = true
		return env[name]
	}
	mounted := func(path string) bool {
		return slices.ContainsFunc(mounts, func(m string) bool { return path == m || strings.HasPrefix(path, m+"/") })
	}
	readFile := func(path string) ([]byte, error) {
		if !mounted(path) {
			return nil, fs.ErrNotExist
		}
		if strings.Contains(path, "key") {
			return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}), nil
		}
		return []byte("secret\n"), nil
	}
	s, err := config.Load("", getenv, readFile)
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
	for _, name := range []string{"Dockerfile", "compose.yaml", "kubernetes.yaml"} {
		content, err := os.ReadFile(name)
		must(t, err)
		for _, v := range variable.FindAllString(string(content), -1) {
			if !asked[v] {
				t.Errorf("%s names %s, which the server does not know", name, v)
			}
		}
	}
}

func TestDockerfileTakesTheGoOfTheModule(t *testing.T) {
	module, err := os.ReadFile("../go.mod")
	must(t, err)
	file, err := os.ReadFile("Dockerfile")
	must(t, err)
	want := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(module)
	got := regexp.MustCompile(`(?m)^FROM golang:(\S+)`).FindSubmatch(file)
	if want == nil || got == nil || !bytes.Equal(want[1], got[1]) {
		t.Errorf("go.mod has %q, the image is built with %q", want, got)
	}
}

func documents(t *testing.T, name string) []*yaml.Node {
	t.Helper()
	content, err := os.ReadFile(name)
	must(t, err)
	d := yaml.NewDecoder(bytes.NewReader(content))
	var out []*yaml.Node
	for {
		var n yaml.Node
		switch err := d.Decode(&n); {
		case errors.Is(err, io.EOF):
			return out
		case err != nil:
			t.Fatalf("%s: %v", name, err)
		}
		out = append(out, &n)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

//go:build linux

package deploy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stagecoach-app/stagecoach/server/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// TestImage builds the image by buildah, which needs no daemon, and starts it as a container runtime would: with a root that
// is read-only, as the user without rights, with nothing that can be written to but /data. A change then travels, and
// SIGTERM ends it. Registries may be out of reach, so that the images it begins with are stand-ins, made from this
// machine: Go with its caches, and certificates with time zones. It is asked for by STAGECOACH_IMAGE=1, and takes root.
func TestImage(t *testing.T) {
	if os.Getenv("STAGECOACH_IMAGE") == "" {
		t.Skip("STAGECOACH_IMAGE=1 asks for it")
	}
	b := &builder{t: t, dir: t.TempDir()}
	b.standIns()
	goEnv := func(name string) string { return strings.TrimSpace(b.run("go", "env", name)) }
	args := []string{"build", "--quiet", "--pull-never", "--file=Dockerfile", "--ignorefile=Dockerfile.dockerignore", "--tag=stagecoach:test"}
	for _, mount := range []string{"/usr:/usr:ro", "/bin:/bin:ro", "/lib:/lib:ro", "/lib64:/lib64:ro", goEnv("GOROOT") + ":/usr/local/go:ro", goEnv("GOMODCACHE") + ":/go/pkg/mod", goEnv("GOCACHE") + ":/gocache"} {
		args = append(args, "--volume="+mount)
	}
	b.buildah(append(args, "..")...)
	image := b.inspect("stagecoach:test")
	if image.User != "65532:65532" || !slices.Equal(image.Entrypoint, []string{"/stagecoach"}) || !slices.Equal(image.Cmd, []string{"serve"}) || image.Volumes["/data"] == nil {
		t.Errorf("the image says %+v", image)
	}
	root := strings.TrimSpace(b.buildah("mount", strings.TrimSpace(b.buildah("from", "--pull-never", "stagecoach:test"))))
	for _, shell := range []string{"/bin/sh", "/usr/bin/git", "/usr/local/go"} {
		if _, err := os.Lstat(root + shell); err == nil {
			t.Errorf("%s is in the image", shell)
		}
	}
	info, err := os.Stat(root + "/data")
	must(t, err)
	if owner := info.Sys().(*syscall.Stat_t).Uid; owner != 65532 {
		t.Errorf("/data belongs to %d", owner)
	}
	contain(t, root, append(image.Entrypoint, image.Cmd...), image.Env)
}

// contain runs a program of an image, and sees it carry a change.
func contain(t *testing.T, root string, program, env []string) {
	t.Helper()
	w := servertest.New(t, servertest.Files())
	data := filepath.Join(t.TempDir(), "data")
	must(t, os.Mkdir(data, 0o700))
	must(t, os.Chown(data, 65532, 65532))
	must(t, os.Chmod(filepath.Dir(data), 0o755))
	script := `mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && mount --bind "$1" "$0/data" && shift && exec chroot --userspec=65532:65532 "$0" "$@"`
	w.Vars = map[string]string{"STAGECOACH_DATA_DIR": "/data", "PATH": os.Getenv("PATH")}
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		if name != "PATH" {
			w.Vars[name] = value
		}
	}
	w.StartCommand("/usr/bin/unshare", append([]string{"--mount", "sh", "-c", script, root, data}, program...)...)
	w.InstallApp()
	w.Until("dev has the change", func() bool { return len(w.Open()) == 1 })
	begun := time.Now()
	if code := w.Terminate(); code != 0 || time.Since(begun) > 30*time.Second {
		t.Errorf("exit code %d, %s after SIGTERM\n%s", code, time.Since(begun), w.Output())
	}
	if written, err := os.ReadDir(data); err != nil || len(written) == 0 {
		t.Errorf("/data holds nothing (%v)", err)
	}
}

// builder runs buildah with a storage of its own.
type builder struct {
	t   *testing.T
	dir string
}

// standIns makes the images that the Dockerfile begins with.
func (b *builder) standIns() {
	b.t.Cleanup(func() { _ = exec.Command("buildah", append(b.storage(), "rm", "--all")...).Run() })
	context := filepath.Join(b.dir, "context")
	must(b.t, os.MkdirAll(context+"/tmp", 0o777))
	must(b.t, os.MkdirAll(context+"/etc/ssl/certs", 0o755))
	certificates, err := os.ReadFile("/etc/ssl/certs/ca-certificates.crt")
	must(b.t, err)
	must(b.t, os.WriteFile(context+"/etc/ssl/certs/ca-certificates.crt", certificates, 0o644))
	must(b.t, os.CopyFS(context+"/usr/share/zoneinfo", os.DirFS("/usr/share/zoneinfo")))
	proxy := strings.TrimSpace(b.run("go", "env", "GOPROXY"))
	for name, recipe := range map[string]string{
		"docker.io/library/" + b.from("golang"): "COPY etc/ssl /etc/ssl\nCOPY tmp /tmp\nENV PATH=/usr/local/go/bin:/usr/bin:/bin HOME=/tmp GOFLAGS=-buildvcs=false GOMODCACHE=/go/pkg/mod GOCACHE=/gocache GOPROXY=" + proxy,
		b.from("gcr.io"):                        "COPY etc/ssl /etc/ssl\nCOPY usr/share/zoneinfo /usr/share/zoneinfo\nUSER 65532",
	} {
		recipe = "FROM scratch\n" + recipe + "\n"
		file := filepath.Join(b.dir, "recipe")
		must(b.t, os.WriteFile(file, []byte(recipe), 0o600))
		b.buildah("build", "--quiet", "--file="+file, "--tag="+name, context)
	}
}

// from is the image that begins with a word in the Dockerfile.
func (b *builder) from(word string) string {
	for _, in := range dockerfile(b.t) {
		if image, _, _ := strings.Cut(in.rest, " "); in.name == "FROM" && strings.HasPrefix(image, word) {
			return image
		}
	}
	b.t.Fatalf("the Dockerfile begins with no %s", word)
	return ""
}

func (b *builder) storage() []string {
	return []string{"--root=" + b.dir + "/root", "--runroot=" + b.dir + "/run", "--storage-driver=vfs"}
}

func (b *builder) buildah(args ...string) string {
	b.t.Helper()
	return b.run("buildah", append(b.storage(), args...)...)
}

func (b *builder) run(name string, args ...string) string {
	b.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "BUILDAH_ISOLATION=chroot")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		b.t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, errs.String())
	}
	return string(out)
}

// imageConfig is what an image says of how it is run.
type imageConfig struct {
	User            string
	Env             []string
	Entrypoint, Cmd []string
	Volumes         map[string]any
}

func (b *builder) inspect(image string) imageConfig {
	b.t.Helper()
	var answer struct {
		OCIv1 struct{ Config imageConfig }
	}
	if err := json.Unmarshal([]byte(b.buildah("inspect", "--type=image", image)), &answer); err != nil {
		b.t.Fatal(fmt.Errorf("what buildah says of the image: %w", err))
	}
	return answer.OCIv1.Config
}

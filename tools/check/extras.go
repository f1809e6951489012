package main

import (
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Extras are what some tests take where it is there: without one its tests are
// skipped, and the output says so.
//
//   - a browser, which looks at the dashboard
//   - axe-core, which judges accessibility in it (https://github.com/dequelabs/axe-core)
//   - promtool, which judges the alerts (https://prometheus.io/docs/prometheus/latest/command-line/promtool/)
//
// The container image is built only where STAGECOACH_IMAGE asks for it: that compiles
// everything once more where nothing has been compiled its way yet.
//
// On Debian, for root, those that are missing can be installed. None is copied into
// the repository: axe-core alone has half a megabyte, and a licence of its own.

// axe-core as npm has it. The integrity is that of the package, by which npm's lock files name it too.
const (
	axePackage   = "axe-core@4.14.1"
	axeIntegrity = "sha512-FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="
)

// installWithin bounds it all: a slow mirror must not take the time of the tests.
const installWithin = 4 * time.Minute

// extras waits for what is being installed, tells the tests of it, and says what is not there.
func extras() {
	if installing != nil {
		<-installing
	}
	if !hasBrowser(exec.LookPath) {
		fmt.Println("NO BROWSER: the tests that look at the dashboard in one are skipped. Install Chromium to run them.")
	} else if os.Getenv("STAGECOACH_AXE") == "" {
		fmt.Println("NO AXE: accessibility is judged by our own rules alone. STAGECOACH_AXE is the path of axe-core's axe.min.js.")
	}
	if _, err := exec.LookPath("promtool"); err != nil {
		fmt.Println("NO PROMTOOL: the alerts are judged by our own rules alone. Install Prometheus' promtool to have it play them.")
	}
	if os.Getenv("STAGECOACH_IMAGE") == "" {
		fmt.Println("NO IMAGE: the container image is not built. STAGECOACH_IMAGE=1 has it built and started, by root, with buildah.")
	}
}

// installing is closed when what is missing has been installed, or could not be; nil: nobody asked for that.
var installing chan struct{}

// install begins to install what is missing, beside the checks that need none of it.
func install(ctx context.Context) {
	installing = make(chan struct{})
	go func() {
		defer close(installing)
		ctx, cancel := context.WithTimeout(ctx, installWithin)
		defer cancel()
		start := time.Now()
		if err := errors.Join(debian(ctx), axe(ctx)); err != nil {
			fmt.Printf("Not all that some tests take could be installed: %v\n", err)
		}
		fmt.Printf("Installing took %s, beside the checks.\n", time.Since(start).Round(time.Second))
	}()
}

// debian installs what Debian has.
func debian(ctx context.Context) error {
	var missing []string
	if !hasBrowser(exec.LookPath) {
		missing = append(missing, "chromium", "fonts-noto-color-emoji") // which the marks of states are drawn with
	}
	_, err := exec.LookPath("promtool")
	noPromtool := err != nil
	if len(missing) == 0 && !noPromtool {
		return nil
	}
	if _, err := exec.LookPath("apt-get"); err != nil || os.Getuid() != 0 {
		return fmt.Errorf("%s are installed on Debian, and by root, alone", strings.Join(append(missing, "promtool"), ", "))
	}
	err = quiet(ctx, "", "apt-get", "update", "-qq")
	if len(missing) > 0 {
		err = errors.Join(err, quiet(ctx, "", "apt-get", append([]string{"install", "-y", "-qq", "--no-install-recommends"}, missing...)...))
	}
	if noPromtool {
		err = errors.Join(err, promtool(ctx))
	}
	return err
}

// promtool unpacks it alone out of Debian's package prometheus, which would also start a server.
func promtool(ctx context.Context) error {
	dir, err := cacheDir("prometheus")
	if err != nil {
		return err
	}
	program := filepath.Join(dir, "usr/bin/promtool")
	if _, err := os.Stat(program); err != nil {
		if err := quiet(ctx, dir, "apt-get", "download", "-qq", "prometheus"); err != nil {
			return err
		}
		found, err := filepath.Glob(filepath.Join(dir, "prometheus_*.deb"))
		if err != nil || len(found) == 0 {
			return errors.New("apt-get download left no package prometheus")
		}
		if err := quiet(ctx, dir, "dpkg-deb", "-x", found[len(found)-1], dir); err != nil {
			return err
		}
	}
	return os.Setenv("PATH", os.Getenv("PATH")+string(os.PathListSeparator)+filepath.Dir(program))
}

// axe gets axe-core by npm, and tells the tests where it is.
func axe(ctx context.Context) error {
	if os.Getenv("STAGECOACH_AXE") != "" {
		return nil
	}
	dir, err := cacheDir("axe")
	if err != nil {
		return err
	}
	script := filepath.Join(dir, "package", "axe.min.js")
	if _, err := os.Stat(script); err != nil {
		if err := fetchAxe(ctx, dir); err != nil {
			return err
		}
	}
	return os.Setenv("STAGECOACH_AXE", script)
}

func fetchAxe(ctx context.Context, dir string) error {
	if err := quiet(ctx, dir, "npm", "pack", "--silent", axePackage); err != nil {
		return err
	}
	name, version, _ := strings.Cut(axePackage, "@")
	packed := filepath.Join(dir, name+"-"+version+".tgz")
	content, err := os.ReadFile(packed)
	if err != nil {
		return fmt.Errorf("npm pack left no package: %w", err)
	}
	if sum := sha512.Sum512(content); "sha512-"+base64.StdEncoding.EncodeToString(sum[:]) != axeIntegrity {
		return fmt.Errorf("%s is not the one whose checksum is known", axePackage)
	}
	return quiet(ctx, dir, "tar", "-xzf", packed, "package/axe.min.js")
}

// cacheDir makes a folder for what is fetched, and kept for the next time.
func cacheDir(name string) (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(base, "stagecoach-check", name)
	return dir, os.MkdirAll(dir, 0o755)
}

// quiet runs a program in a folder, and shows what it said only in its error.
func quiet(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, lastLines(string(out)))
	}
	return nil
}

// lastLines are the last ones of a text, where programs say what went wrong.
func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}

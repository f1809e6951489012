package deploy_test

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// instruction is one of a Dockerfile, its lines joined.
type instruction struct {
	name, rest string
	line       int
}

// The instructions that there are, those that are deprecated or fetch from anywhere (ADD) left out.
// https://docs.docker.com/reference/dockerfile/
var instructions = []string{"ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "LABEL", "RUN", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR"}

func dockerfile(t *testing.T) []instruction {
	t.Helper()
	var out []instruction
	open := false
	for i, line := range strings.Split(read(t, "Dockerfile"), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if open {
			out[len(out)-1].rest += " " + strings.TrimSuffix(line, "\\")
		} else {
			name, rest, _ := strings.Cut(line, " ")
			out = append(out, instruction{name, strings.TrimSpace(strings.TrimSuffix(rest, "\\")), i + 1})
		}
		open = strings.HasSuffix(line, "\\")
	}
	return out
}

// This sees to what a linter would; TestImage builds it.
func TestDockerfile(t *testing.T) {
	var stages []string
	last := map[string]string{} // of the last stage
	for _, in := range dockerfile(t) {
		words := strings.Fields(in.rest)
		switch {
		case !slices.Contains(instructions, in.name) || len(words) == 0:
			t.Errorf("line %d: %s %s", in.line, in.name, in.rest)
			continue
		case in.name == "FROM":
			if image := words[0]; !strings.Contains(image, ":") || strings.HasSuffix(image, ":latest") {
				t.Errorf("line %d: which %s?", in.line, image)
			}
			stages, last = append(stages, words[len(words)-1]), map[string]string{}
		case in.name == "COPY" && strings.HasPrefix(words[0], "--from="):
			if from := strings.TrimPrefix(words[0], "--from="); !slices.Contains(stages[:len(stages)-1], from) {
				t.Errorf("line %d: there is no stage %s before it", in.line, from)
			}
		case slices.Contains([]string{"ENTRYPOINT", "CMD"}, in.name) && !strings.HasPrefix(in.rest, "["):
			t.Errorf("line %d: the image has no shell that could run %s", in.line, in.rest)
		}
		last[in.name] = in.rest
	}
	for name, want := range map[string]string{
		"FROM": "gcr.io/distroless/static-debian12:nonroot", "USER": "65532:65532", "ENTRYPOINT": `["/stagecoach"]`, "CMD": `["serve"]`, "VOLUME": "/data", "EXPOSE": "8080",
	} {
		if last[name] != want {
			t.Errorf("%s is %q, want %q", name, last[name], want)
		}
	}
}

// What builds the image never sees credentials that lie in the checkout.
func TestTheBuildSeesNoCredentials(t *testing.T) {
	if !slices.Contains(strings.Fields(read(t, "Dockerfile.dockerignore")), "**/*.env") {
		t.Error("files of credentials are not kept out")
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

package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/config"
)

func TestReadEnv(t *testing.T) {
	got, err := config.ReadEnv("x.env", []byte("# a comment\r\n\nA=1\r\nexport B = two words \nC='a\\nb \"c\"'\nD=\"a\\nb \\\"c\\\" \\\\n\"\nE=\nF=a=b#c\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"A": "1", "B": "two words", "C": `a\nb "c"`, "D": "a\nb \"c\" \\n", "E": "", "F": "a=b#c"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What is wrong is told with its line, and without the value, which may be a secret.
func TestReadEnvSaysWhere(t *testing.T) {
	for content, want := range map[string]string{
		"A=1\nsecret":          "x.env:2: it is not of the form",
		"A=1\n\n2B=secret":     "x.env:3: it is not of the form",
		"A=secret\nA=secret":   "x.env:2: A stands there a second time",
		"A='secret":            "x.env:1: the value of A begins with a quote",
		"A='sec'ret'":          "x.env:1: the value of A begins with a quote",
		"A='":                  "x.env:1: the value of A begins with a quote",
		"A=\"secret\nmore\"\n": "x.env:1: the value of A begins with a quote",
	} {
		_, err := config.ReadEnv("x.env", []byte(content))
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v, want %s", content, err, want)
		}
	}
}

// A key in one line, with \n, is read bare, and in the quotes that a reader left on it: `docker run --env-file` and
// `kubectl create secret --from-env-file` take them for a part of the value.
func TestPrivateKeyOfAnEnvFile(t *testing.T) {
	line := strings.ReplaceAll(strings.TrimSpace(keys().pkcs1), "\n", `\n`)
	for _, value := range []string{line, "'" + line + "'", `"` + line + `"`, "'" + keys().pkcs1 + "'"} {
		s, err := load(minimal("GITHUB_APP_PRIVATE_KEY", value), nil, "")
		if err != nil {
			t.Errorf("%.12s…: %v", value, err)
		} else if s.PrivateKey != keys().pkcs1 {
			t.Errorf("%.12s…: the key is another", value)
		}
	}
	read, err := config.ReadEnv("x.env", fmt.Appendf(nil, "GITHUB_APP_PRIVATE_KEY='%s'\n", line))
	if err != nil || read["GITHUB_APP_PRIVATE_KEY"] != line {
		t.Errorf("the file gives another key: %v", err)
	}
}

// The environment wins over the file, in whatever form each gives a value.
func TestOver(t *testing.T) {
	environment := map[string]string{"A": "1", "B_FILE": "/b", "C": "3"}
	file := map[string]string{"A": "no", "B": "no", "C_FILE": "no", "D": "4", "E_FILE": "/e"}
	get := config.Over(func(name string) string { return environment[name] }, file)
	for name, want := range map[string]string{"A": "1", "B": "", "B_FILE": "/b", "C": "3", "C_FILE": "", "D": "4", "E": "", "E_FILE": "/e"} {
		if got := get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// hostile is what a terminal acts on: a cleared screen, a new title, text that runs
// backwards, of each kind of escape that YAML has.
const hostile = "version: 1\nsources: [{name: app, git: {}}]\n\"sta\\e[2Jges\": []\nstages:\n" +
	"  - name: \"de\\e]0;x\\ax\"\n    after: [\"\\e[31mred\\u200f\\u202e\\x9b0m\\r\"]\n    promote: \"\\u2066auto\\u061c\"\n"

// What others wrote never reaches a terminal as what it acts on, and people see that it
// is there.
func TestOthersTextsDoNotSteerATerminal(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, ".github", "stagecoach.yml")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(hostile), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		args []string
		says []string
	}{
		"validate":        {[]string{"validate", dir}, []string{`\x1b[2J`, `\x1b[31mred`, `\u202e`}},
		"validate a name": {[]string{"validate", dir + "/\x1b[2J"}, []string{`\x1b[2J`}},
		"plan":            {[]string{"plan", "--repo", dir, "--stage", "x"}, []string{`\x1b[2J`}},
		"a wrong word":    {[]string{"pl\x1b[2Jan"}, []string{`\x1b[2J`}},
		"a wrong flag":    {[]string{"validate", "--\u202eoutput"}, []string{`\u202e`}},
	} {
		var out bytes.Buffer
		if code := run(t.Context(), c.args, &out, &out); code == exitDone {
			t.Errorf("%s: it is fine", what)
		}
		for _, r := range out.String() {
			if r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
				t.Errorf("%s writes %U:\n%q", what, r, out.String())
				break
			}
		}
		for _, want := range c.says {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s does not show %s:\n%s", what, want, out.String())
			}
		}
	}
}

// A diff keeps its bytes for git apply, and only a terminal gets it made visible.
func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"+a\tb\n": "+a\tb\n", "é ✅ 日本 😀": "é ✅ 日本 😀", "\x1b[2J": `\x1b[2J`, "a\u202eb": `a\u202eb`, "\r\n": `\r` + "\n", "\x7f\u0085": `\x7f\u0085`, "'": "'",
	} {
		if got := visible(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if isTerminal(&bytes.Buffer{}) {
		t.Error("memory is a terminal")
	}
}

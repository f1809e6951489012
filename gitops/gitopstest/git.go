package gitopstest

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Env is the environment in which git runs: cut off from the settings of user
// and system.
func Env() []string {
	return []string{
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "PATH=" + os.Getenv("PATH"), "HOME=/nonexistent",
		"GIT_AUTHOR_NAME=octocat", "GIT_AUTHOR_EMAIL=octocat@example.com", "GIT_COMMITTER_NAME=octocat", "GIT_COMMITTER_EMAIL=octocat@example.com",
	}
}

// Credentials is an environment by which git sends Token with its first request,
// without being refused once before.
func Credentials() []string {
	basic := base64.StdEncoding.EncodeToString([]byte("x-access-token:" + Token))
	return []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=http.extraHeader", "GIT_CONFIG_VALUE_0=Authorization: Basic " + basic}
}

// Git runs git in dir, or where we are if dir is empty or does not exist, and
// gives its output without the last line's end.
func Git(dir, stdin string, args ...string) (string, error) {
	return GitEnv(nil, dir, stdin, args...)
}

// GitEnv is Git with more of an environment.
func GitEnv(env []string, dir, stdin string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	if _, err := os.Stat(dir); err == nil {
		cmd.Dir = dir
	}
	cmd.Env = append(Env(), env...)
	cmd.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// Git runs git in the bare repository.
func (s *Server) Git(stdin string, args ...string) (string, error) { return Git(s.Dir, stdin, args...) }

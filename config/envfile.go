package config

import (
	"fmt"
	"regexp"
	"strings"
)

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// ReadEnv reads a file of variables, as shells, Compose and systemd read it: NAME=VALUE, one a line; values bare,
// in single quotes (as they stand) or in double quotes (\n, \" and \\ mean what they do in a shell's $'…'); blank
// lines and those that begin with # do not count. Errors name the file and the line, and never show a value.
func ReadEnv(file string, content []byte) (map[string]string, error) {
	out := map[string]string{}
	for i, line := range strings.Split(string(content), "\n") {
		line = strings.TrimPrefix(strings.TrimSpace(line), "export ")
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if name = strings.TrimSpace(name); !ok || !variableName.MatchString(name) {
			return nil, fmt.Errorf("%s:%d: it is not of the form NAME=VALUE; a value stands on one line, with \\n for the ends of its lines", file, i+1)
		}
		if _, twice := out[name]; twice {
			return nil, fmt.Errorf("%s:%d: %s stands there a second time", file, i+1, name)
		}
		value, ok = unquoted(strings.TrimSpace(value))
		if !ok {
			return nil, fmt.Errorf("%s:%d: the value of %s begins with a quote that does not end it", file, i+1, name)
		}
		out[name] = value
	}
	return out, nil
}

var escapes = strings.NewReplacer(`\n`, "\n", `\"`, `"`, `\$`, `$`, `\\`, `\`)

// unquoted is what a value means; false when its quote is not closed.
func unquoted(value string) (string, bool) {
	if value == "" || value[0] != '\'' && value[0] != '"' {
		return value, true
	}
	if len(value) < 2 || value[len(value)-1] != value[0] {
		return "", false
	}
	inside := value[1 : len(value)-1]
	if value[0] == '"' {
		return escapes.Replace(inside), true
	}
	return inside, !strings.Contains(inside, "'")
}

// Over is the environment over the variables of a file. A value that the environment gives, as NAME or as NAME_FILE,
// takes the place of both forms in the file.
func Over(getenv func(string) string, file map[string]string) func(string) string {
	return func(name string) string {
		twin, isPath := strings.CutSuffix(name, "_FILE")
		if !isPath {
			twin = name + "_FILE"
		}
		switch value := getenv(name); {
		case value != "":
			return value
		case getenv(twin) != "":
			return ""
		}
		return file[name]
	}
}

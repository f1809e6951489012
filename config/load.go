package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Load reads the settings of a server from a YAML file ("": none) and the
// environment, which wins. Each variable may instead be given as NAME_FILE, the
// path of a file that holds the value. All that is wrong is in the one error, a
// line each.
func Load(file string, getenv func(string) string, readFile func(string) ([]byte, error)) (*Settings, error) {
	l := loader{getenv: getenv, readFile: readFile, given: map[string]given{}}
	if file != "" {
		l.file(file)
	}
	for _, s := range settings {
		l.environment(s.variable)
	}
	s := l.settings()
	l.required(s)
	if len(l.wrong) > 0 {
		return nil, fmt.Errorf("the settings are not right:\n%w", errors.Join(l.wrong...))
	}
	if err := s.deriveLedgerKeys(); err != nil {
		return nil, err
	}
	return s, nil
}

// given is a value, and how the person knows it: variable, or file and line.
type given struct{ text, from string }

// loader collects values by variable, and what is wrong with them.
type loader struct {
	getenv   func(string) string
	readFile func(string) ([]byte, error)
	given    map[string]given
	failed   []string // variables that were given and are reported already
	wrong    []error
}

func (l *loader) fail(format string, args ...any) {
	l.wrong = append(l.wrong, fmt.Errorf(format, args...))
}

func (l *loader) environment(variable string) {
	value, path := l.getenv(variable), l.getenv(variable+"_FILE")
	switch {
	case value != "" && path != "":
		l.fail("%s and %s_FILE are both set; unset one", variable, variable)
		l.failed = append(l.failed, variable)
	case value != "":
		l.given[variable] = given{value, variable}
	case path != "":
		content, err := l.readFile(path)
		if err != nil {
			l.fail("%s_FILE: the file cannot be read: %w", variable, reason(err))
			l.failed = append(l.failed, variable)
			return
		}
		l.given[variable] = given{strings.TrimRight(string(content), "\r\n"), variable + "_FILE"}
	}
}

// reason is an error without the path: somebody may have put the secret there.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return errors.New("it is not there or not readable")
}

// settings reads all values over the defaults.
func (l *loader) settings() *Settings {
	s := &Settings{
		WebURL: "https://github.com", V3URL: "https://api.github.com/", V4URL: "https://api.github.com/graphql",
		Addr: ":8080", DataDir: "./data", Pace: true,
	}
	for _, one := range settings {
		value, ok := l.given[one.variable]
		if !ok {
			continue
		}
		if wrong := one.read(s, value.text); wrong != "" {
			l.fail("%s %s", value.from, wrong)
		}
	}
	l.ownGitHub(s)
	return s
}

// ownGitHub keeps the addresses of a GitHub of one's own together.
func (l *loader) ownGitHub(s *Settings) {
	_, web := l.given["GITHUB_WEB_URL"]
	_, v3 := l.given["GITHUB_V3_API_URL"]
	_, v4 := l.given["GITHUB_V4_API_URL"]
	own := func(isOurs bool, url, theirs string) bool { return isOurs && url != theirs }
	ownWeb, ownAPI := own(web, s.WebURL, "https://github.com"), own(v3, s.V3URL, "https://api.github.com/")
	switch {
	case ownWeb && !v3:
		l.fail("GITHUB_V3_API_URL is not set, but GITHUB_WEB_URL is: give the API of the same GitHub, like https://github.example.com/api/v3/")
	case ownAPI && !web:
		l.fail("GITHUB_WEB_URL is not set, but GITHUB_V3_API_URL is: give the address of the same GitHub, like https://github.example.com")
	case ownAPI && !v4:
		s.V4URL = strings.TrimSuffix(strings.TrimSuffix(s.V3URL, "/"), "/v3") + "/graphql"
	}
}

// required says what a server cannot do without.
func (l *loader) required(s *Settings) {
	missing := func(variable string) bool {
		value, ok := l.given[variable]
		return (!ok || strings.TrimSpace(value.text) == "") && !slices.Contains(l.failed, variable)
	}
	if missing("GITHUB_APP_INTEGRATION_ID") {
		l.fail("GITHUB_APP_INTEGRATION_ID is not set; it is the App ID on the App's settings page, or run `stagecoach setup`")
	}
	if missing("GITHUB_APP_WEBHOOK_SECRET") {
		l.fail("GITHUB_APP_WEBHOOK_SECRET is not set or empty: without it anybody could send deliveries; give the secret that the App's settings page holds")
	}
	if missing("GITHUB_APP_PRIVATE_KEY") {
		l.fail("GITHUB_APP_PRIVATE_KEY is not set; give the text of the .pem file that GitHub made, or its path in GITHUB_APP_PRIVATE_KEY_FILE")
	}
	if s.DataDir == "" {
		l.fail("STAGECOACH_DATA_DIR is empty; give a directory")
	}
}

// file reads the YAML file.
func (l *loader) file(name string) {
	content, err := l.readFile(name)
	if err != nil {
		l.fail("%s cannot be read: %w", name, reason(err))
		return
	}
	var document yaml.Node
	if err := yaml.Unmarshal(content, &document); err != nil {
		l.fail("%s is not YAML%s", name, nearLine(err))
		return
	}
	if len(document.Content) == 0 {
		return
	}
	if err := (&measure{}).node(document.Content[0], 0); err != nil {
		l.fail("%s: %w", name, err)
		return
	}
	l.section(name, "", resolve(document.Content[0]))
}

// nearLine is where a YAML error is, without its text: that may quote a secret.
func nearLine(err error) string {
	if m := yamlLine.FindStringSubmatch(strings.TrimPrefix(err.Error(), "yaml: ")); m != nil {
		return " near line " + m[1]
	}
	return ""
}

// section reads the keys of a mapping; prefix is that of their names.
func (l *loader) section(file, prefix string, n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		l.fail("%s:%d: %s must be an object", file, n.Line, cmp.Or(strings.TrimSuffix(prefix, "."), "the file"))
		return
	}
	for _, p := range pairs(n) {
		key := prefix + p.key.Value
		variable := variableOf(key)
		switch {
		case key == "github" || slices.ContainsFunc(settings, func(s setting) bool { return strings.HasPrefix(s.key, strings.TrimPrefix(key, "github.")+".") }):
			l.section(file, key+".", p.value)
		case variable == "":
			l.unknown(file, key, p.key)
		default:
			l.entry(file, key, variable, p)
		}
	}
}

func (l *loader) entry(file, key, variable string, p pair) {
	from := fmt.Sprintf("%s:%d: %s", file, p.key.Line, key)
	if _, twice := l.given[variable]; twice {
		l.fail("%s stands in the file a second time", from)
		return
	}
	var parts []string
	for _, n := range append(items(p.value), p.value) {
		switch {
		case n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null":
			parts = append(parts, n.Value)
		case n.Kind == yaml.MappingNode:
			l.fail("%s must be a single value or a list", from)
			return
		}
	}
	if len(parts) > 0 {
		l.given[variable] = given{strings.Join(parts, "\n"), from}
	}
}

func variableOf(key string) string {
	bare := strings.TrimPrefix(key, "github.")
	for _, s := range settings {
		if s.key == key || s.key == bare && strings.HasPrefix(s.variable, "GITHUB_") {
			return s.variable
		}
	}
	return ""
}

func (l *loader) unknown(file, key string, n *yaml.Node) {
	var known []string
	for _, s := range settings {
		known = append(known, s.key)
		if strings.HasPrefix(s.variable, "GITHUB_") {
			known = append(known, "github."+s.key)
		}
	}
	hint := ""
	if close := nearest(key, known); close != "" {
		hint = fmt.Sprintf(" (did you mean `%s`?)", close)
	}
	l.fail("%s:%d: there is no setting `%s`%s", file, n.Line, key, hint)
}

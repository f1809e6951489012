package config

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
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
		Addr: ":8080", DataDir: "./data", CacheSize: 10 << 30, Pace: true, MetricsStages: true,
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

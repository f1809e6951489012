package config

import (
	"math"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// setting is one value of the server's: its variable, its key in the file (those
// of GitHub are go-githubapp's, also below a key `github`), and how it is read.
// A reader returns what is wrong and what to do, without the value: it may be a
// secret that was put in the wrong place.
type setting struct {
	variable string
	key      string
	read     func(s *Settings, text string) string
}

// settings is the list of all of them, in the order of the documentation.
var settings = []setting{
	{"GITHUB_WEB_URL", "web_url", address(func(s *Settings) *string { return &s.WebURL }, "")},
	{"GITHUB_V3_API_URL", "v3_api_url", address(func(s *Settings) *string { return &s.V3URL }, "/")},
	{"GITHUB_V4_API_URL", "v4_api_url", address(func(s *Settings) *string { return &s.V4URL }, "")},
	{"GITHUB_APP_INTEGRATION_ID", "app.integration_id", appID},
	{"GITHUB_APP_WEBHOOK_SECRET", "app.webhook_secret", text(func(s *Settings) *string { return &s.WebhookSecret })},
	{"GITHUB_APP_PRIVATE_KEY", "app.private_key", privateKey},
	{"GITHUB_OAUTH_CLIENT_ID", "oauth.client_id", text(func(s *Settings) *string { return &s.OAuthClientID })},
	{"GITHUB_OAUTH_CLIENT_SECRET", "oauth.client_secret", text(func(s *Settings) *string { return &s.OAuthClientSecret })},
	{"STAGECOACH_ADDR", "addr", listen},
	{"STAGECOACH_DATA_DIR", "data_dir", text(func(s *Settings) *string { return &s.DataDir })},
	{"STAGECOACH_CACHE_SIZE", "cache_size", cacheSize},
	{"STAGECOACH_PUBLIC_URL", "public_url", address(func(s *Settings) *string { return &s.PublicURL }, "")},
	{"STAGECOACH_NATS_URL", "nats_url", natsURL},
	{"STAGECOACH_OLD_WEBHOOK_SECRETS", "old_webhook_secrets", words(func(s *Settings) *[]string { return &s.OldWebhookSecrets })},
	{"STAGECOACH_LEDGER_KEY", "ledger_key", ledgerKey},
	{"STAGECOACH_METRICS_TOKEN", "metrics_token", text(func(s *Settings) *string { return &s.MetricsToken })},
	{"STAGECOACH_METRICS_STAGES", "metrics_stages", onOff(func(s *Settings) *bool { return &s.MetricsStages })},
	{"STAGECOACH_ALLOW_HOSTS", "allow_hosts", words(func(s *Settings) *[]string { return &s.AllowHosts })},
	{"STAGECOACH_REMOTE_BASES", "remote_bases", remoteBases},
	{"STAGECOACH_REGISTRY_AUTH", "registry_auth", text(func(s *Settings) *string { return &s.RegistryAuth })},
	{"STAGECOACH_PACE", "pace", onOff(func(s *Settings) *bool { return &s.Pace })},
}

func text(at func(*Settings) *string) func(*Settings, string) string {
	return func(s *Settings, v string) string {
		*at(s) = strings.TrimSpace(v)
		return ""
	}
}

// words reads a list, separated by commas or line ends.
func words(at func(*Settings) *[]string) func(*Settings, string) string {
	return func(s *Settings, v string) string {
		var out []string
		for _, word := range strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == '\n' || r == '\r' }) {
			if word = strings.TrimSpace(word); word != "" {
				out = append(out, word)
			}
		}
		*at(s) = out
		return ""
	}
}

// remoteBases reads a list of hosts, or hosts with the beginning of a path, of which
// those without TLS begin with http://. off is none.
func remoteBases(s *Settings, v string) string {
	words(func(s *Settings) *[]string { return &s.RemoteBases })(s, v)
	if len(s.RemoteBases) == 1 && strings.EqualFold(s.RemoteBases[0], "off") {
		s.RemoteBases = nil
	}
	for i, entry := range s.RemoteBases {
		whole := entry
		if !strings.Contains(entry, "://") {
			whole = "https://" + entry
		}
		u, err := url.Parse(whole)
		if err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.RawPath != "" ||
			strings.Contains(u.Hostname(), "*") || !strings.Contains(u.Hostname(), ".") && u.Hostname() != "localhost" && !strings.Contains(entry, "://") {
			return "is no list of hosts and paths; write HOST or HOST/PATH, like github.com/acme, several with commas, or off"
		}
		s.RemoteBases[i] = strings.TrimPrefix(u.Scheme+"://"+strings.ToLower(u.Host)+strings.TrimRight(u.Path, "/"), "https://")
	}
	return ""
}

// address reads the URL of a server; end is how it must end.
func address(at func(*Settings) *string, end string) func(*Settings, string) string {
	return func(s *Settings, v string) string {
		u, err := url.Parse(strings.TrimSpace(v))
		switch {
		case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
			return "is no URL; write it in full, like https://github.example.com"
		case u.User != nil:
			return "holds a user or password; leave that out"
		case u.RawQuery != "" || u.Fragment != "":
			return "holds a ? or #; write only scheme, host and path"
		}
		*at(s) = strings.TrimRight(u.String(), "/") + end
		return ""
	}
}

func appID(s *Settings, v string) string {
	id, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
	if err != nil || id <= 0 {
		return "is no App ID; take the number from the App's settings page (not the client ID, which begins with Iv)"
	}
	s.AppID = id
	return ""
}

func listen(s *Settings, v string) string {
	_, port, err := net.SplitHostPort(strings.TrimSpace(v))
	if n, bad := strconv.Atoi(port); err != nil || bad != nil || n < 0 || n > 65535 {
		return "is no address to listen on; write HOST:PORT or :PORT, like :8080"
	}
	s.Addr = strings.TrimSpace(v)
	return ""
}

var units = map[string]int64{
	"": 1, "B": 1, "K": 1 << 10, "KIB": 1 << 10, "KB": 1e3, "M": 1 << 20, "MIB": 1 << 20, "MB": 1e6,
	"G": 1 << 30, "GIB": 1 << 30, "GB": 1e9, "T": 1 << 40, "TIB": 1 << 40, "TB": 1e12,
}

// leastCache is the smallest cache that is of use: the clone of one repository.
const leastCache = 64 << 20

// cacheSize reads a number of bytes with a unit.
func cacheSize(s *Settings, v string) string {
	v = strings.ToUpper(strings.TrimSpace(v))
	digits := strings.TrimRight(v, "KMGTIB ")
	number, err := strconv.ParseFloat(digits, 64)
	unit, known := units[strings.TrimSpace(strings.TrimPrefix(v, digits))]
	size := number * float64(unit)
	switch {
	case err != nil || !known || number < 0 || size >= 1<<62 || math.IsNaN(size):
		return "is no size; write a number with its unit, like 10GiB or 500MB; 0 is no limit"
	case size > 0 && size < leastCache:
		return "is too small to hold one repository; give at least 64MiB, or 0 for no limit"
	}
	s.CacheSize = int64(size)
	return ""
}

func natsURL(s *Settings, v string) string {
	for part := range strings.SplitSeq(v, ",") {
		u, err := url.Parse(strings.TrimSpace(part))
		if err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls" && u.Scheme != "ws" && u.Scheme != "wss" {
			return "is no list of NATS servers; write nats://HOST:4222, several with commas"
		}
	}
	s.NATSURL = strings.TrimSpace(v)
	return ""
}

func onOff(at func(*Settings) *bool) func(*Settings, string) string {
	return func(s *Settings, v string) string {
		switch strings.ToLower(strings.TrimSpace(v)) {
		case "on", "true":
			*at(s) = true
		case "off", "false":
			*at(s) = false
		default:
			return "must be on or off"
		}
		return ""
	}
}

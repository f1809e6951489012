package config

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Settings are those of a server.
type Settings struct {
	WebURL string // of GitHub, without a slash at the end; git is at WebURL/OWNER/REPO.git
	V3URL  string // of GitHub's REST API, with one slash at the end
	V4URL  string // of GitHub's GraphQL API, without a slash at the end

	AppID             int64
	WebhookSecret     string   // never empty
	OldWebhookSecrets []string // deliveries signed with these are accepted too
	PrivateKey        string   // PEM of an RSA key, PKCS #1 or PKCS #8
	OAuthClientID     string
	OAuthClientSecret string

	Addr      string // to listen on, host:port; the host may be empty
	DataDir   string
	CacheSize int64  // bytes that all cached clones may take; 0: no limit
	PublicURL string // where people reach the server, without a slash at the end; empty: unknown
	NATSURL   string // of an existing cluster; empty: embedded

	LedgerKey []byte // signs ledgers; by default derived from WebhookSecret
	// OldLedgerKeys are derived from OldWebhookSecrets when LedgerKey is
	// derived: what they signed is still ours.
	OldLedgerKeys [][]byte

	MetricsToken  string   // that /metrics asks for; empty: none
	MetricsStages bool     // tell stages apart in /metrics; true by default
	AllowHosts    []string // private addresses that pipelines may name
	RemoteBases   []string // hosts, or the beginnings of addresses, that kustomizations may name; empty: none
	RegistryAuth  string   // credentials for registries: JSON, see server/registry.ReadCredentials; empty: none
	Pace          bool     // space writes and pushes; true by default
}

// shown is what may be printed: of secrets, whether they are set.
func (s Settings) shown() map[string]any {
	return map[string]any{
		"webURL": s.WebURL, "v3URL": s.V3URL, "v4URL": s.V4URL, "appID": s.AppID,
		"webhookSecret": redacted(s.WebhookSecret), "oldWebhookSecrets": len(s.OldWebhookSecrets), "privateKey": redacted(s.PrivateKey),
		"oauthClientID": s.OAuthClientID, "oauthClientSecret": redacted(s.OAuthClientSecret),
		"addr": s.Addr, "dataDir": s.DataDir, "cacheSize": s.CacheSize, "publicURL": s.PublicURL, "natsURL": withoutUser(s.NATSURL),
		"ledgerKey": redacted(string(s.LedgerKey)), "metricsToken": redacted(s.MetricsToken), "metricsStages": s.MetricsStages, "allowHosts": s.AllowHosts, "remoteBases": s.RemoteBases, "registryAuth": redacted(s.RegistryAuth), "pace": s.Pace,
	}
}

func redacted(secret string) string {
	if secret == "" {
		return "not set"
	}
	return "set"
}

// withoutUser leaves names and passwords out of a list of URLs.
func withoutUser(urls string) string {
	parts := strings.Split(urls, ",")
	for i, u := range parts {
		scheme, rest, ok := strings.Cut(u, "://")
		if !ok {
			scheme, rest = "", u
		}
		if j := strings.LastIndex(rest, "@"); j >= 0 {
			rest = rest[j+1:]
		}
		if parts[i] = rest; ok {
			parts[i] = scheme + "://" + rest
		}
	}
	return strings.Join(parts, ",")
}

// MarshalJSON writes the settings without their secrets, for logs.
func (s Settings) MarshalJSON() ([]byte, error) { return json.Marshal(s.shown()) }

// String shows the settings without their secrets.
func (s Settings) String() string {
	raw, err := s.MarshalJSON()
	if err != nil {
		return "settings"
	}
	return string(raw)
}

// Format keeps every verb of fmt from printing secrets.
func (s Settings) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

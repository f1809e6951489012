package config_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stagecoach-app/stagecoach/config"
)

// keys are made once: making an RSA key is slow.
var keys = sync.OnceValue(func() (k struct{ pkcs1, pkcs8, ec, public string }) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	pkcs8, _ := x509.MarshalPKCS8PrivateKey(key)
	ec, _ := x509.MarshalPKCS8PrivateKey(curve)
	k.pkcs1 = encodePEM("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key))
	k.pkcs8 = encodePEM("PRIVATE KEY", pkcs8)
	k.ec = encodePEM("PRIVATE KEY", ec)
	k.public = encodePEM("PUBLIC KEY", x509.MarshalPKCS1PublicKey(&key.PublicKey))
	return k
})

func encodePEM(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// minimal is the least that a server needs, with more on top.
func minimal(more ...string) map[string]string {
	env := map[string]string{
		"GITHUB_APP_INTEGRATION_ID": "123", "GITHUB_APP_WEBHOOK_SECRET": "s3cret-hook", "GITHUB_APP_PRIVATE_KEY": keys().pkcs1,
	}
	for i := 0; i < len(more); i += 2 {
		env[more[i]] = more[i+1]
	}
	return env
}

func load(env, files map[string]string, file string) (*config.Settings, error) {
	return config.Load(file, func(name string) string { return env[name] }, func(path string) ([]byte, error) {
		content, ok := files[path]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return []byte(content), nil
	})
}

func TestLoadDefaults(t *testing.T) {
	s, err := load(minimal(), nil, "")
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(s.WebURL, s.V3URL, s.V4URL, s.AppID, s.Addr, s.DataDir, s.PublicURL, s.NATSURL, s.Pace, len(s.LedgerKey))
	want := fmt.Sprint("https://github.com", "https://api.github.com/", "https://api.github.com/graphql", int64(123), ":8080", "./data", "", "", true, 32)
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	other, _ := load(minimal("GITHUB_APP_WEBHOOK_SECRET", "another"), nil, "")
	again, _ := load(minimal(), nil, "")
	if bytes.Equal(s.LedgerKey, other.LedgerKey) || !bytes.Equal(s.LedgerKey, again.LedgerKey) {
		t.Error("the ledger's key must follow from the webhook secret, and from nothing else")
	}
	rotated, _ := load(minimal("GITHUB_APP_WEBHOOK_SECRET", "another", "STAGECOACH_OLD_WEBHOOK_SECRETS", "s3cret-hook"), nil, "")
	if len(rotated.OldLedgerKeys) != 1 || !bytes.Equal(rotated.OldLedgerKeys[0], s.LedgerKey) {
		t.Error("what an old secret's key signed must still be known")
	}
}

const file = `
github:
  web_url: https://github.example.com/
  v3_api_url: https://github.example.com/api/v3
  app: {integration_id: 7, webhook_secret: from-file}
  oauth:
    client_id: Iv1.x
    client_secret: oauth-secret
addr: 127.0.0.1:9000
data_dir: /var/lib/stagecoach
public_url: https://promote.example.com/
allow_hosts: [10.0.0.1, registry.internal]
remote_bases: [GitHub.com/acme/, "http://git.internal:80/x"]
pace: off
cache_size: 512MiB
metrics_token: metrics-secret
metrics_stages: off
`

func TestLoadFileAndEnvironment(t *testing.T) {
	env := map[string]string{
		"GITHUB_APP_INTEGRATION_ID": "8", "GITHUB_APP_PRIVATE_KEY_FILE": "key.pem", "STAGECOACH_LEDGER_KEY": "0123456789abcdef",
		"STAGECOACH_OLD_WEBHOOK_SECRETS": "one, two\nthree", "STAGECOACH_NATS_URL": "nats://u:nats-secret@a:4222,tls://b:4222",
	}
	s, err := load(env, map[string]string{"s.yml": file, "key.pem": keys().pkcs8}, "s.yml")
	if err != nil {
		t.Fatal(err)
	}
	want := config.Settings{
		WebURL: "https://github.example.com", V3URL: "https://github.example.com/api/v3/", V4URL: "https://github.example.com/api/graphql",
		AppID: 8, WebhookSecret: "from-file", OldWebhookSecrets: []string{"one", "two", "three"}, PrivateKey: keys().pkcs8,
		OAuthClientID: "Iv1.x", OAuthClientSecret: "oauth-secret", Addr: "127.0.0.1:9000", DataDir: "/var/lib/stagecoach",
		PublicURL: "https://promote.example.com", NATSURL: "nats://u:nats-secret@a:4222,tls://b:4222", LedgerKey: []byte("0123456789abcdef"),
		MetricsToken: "metrics-secret", AllowHosts: []string{"10.0.0.1", "registry.internal"}, RemoteBases: []string{"github.com/acme", "http://git.internal:80/x"}, Pace: false, CacheSize: 512 << 20,
	}
	if diff := cmp.Diff(want, *s); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	flat := "app: {integration_id: 7, webhook_secret: x, private_key: " + strconv.Quote(keys().pkcs1) + "}\noauth: {client_id: a}\n"
	if s, err := load(nil, map[string]string{"s.yml": flat}, "s.yml"); err != nil || s.AppID != 7 || s.OAuthClientID != "a" {
		t.Errorf("go-githubapp's keys without a section: %v, %v", s, err)
	}
}

func TestLoadErrors(t *testing.T) {
	tests := []struct {
		name string
		env  map[string]string
		file string
		want []string
	}{
		{"nothing", nil, "", []string{"GITHUB_APP_INTEGRATION_ID is not set", "GITHUB_APP_WEBHOOK_SECRET is not set or empty: without it anybody could send deliveries", "GITHUB_APP_PRIVATE_KEY is not set"}},
		{"blank secret", minimal("GITHUB_APP_WEBHOOK_SECRET", "  "), "", []string{"GITHUB_APP_WEBHOOK_SECRET is not set or empty"}},
		{"app id", minimal("GITHUB_APP_INTEGRATION_ID", "Iv1.abc"), "", []string{"GITHUB_APP_INTEGRATION_ID is no App ID; take the number"}},
		{"no PEM", minimal("GITHUB_APP_PRIVATE_KEY", "/etc/key.pem"), "", []string{"GITHUB_APP_PRIVATE_KEY is no PEM; give the text"}},
		{"EC key", minimal("GITHUB_APP_PRIVATE_KEY", keys().ec), "", []string{"is a private key, but not of RSA"}},
		{"public key", minimal("GITHUB_APP_PRIVATE_KEY", keys().public), "", []string{"holds no private key of RSA"}},
		{"damaged", minimal("GITHUB_APP_PRIVATE_KEY", encodePEM("RSA PRIVATE KEY", []byte("x"))), "", []string{"is a damaged RSA key"}},
		{"URL", minimal("GITHUB_WEB_URL", "github.example.com", "GITHUB_V3_API_URL", "https://a:b@x/", "STAGECOACH_PUBLIC_URL", "https://x/?a"), "",
			[]string{"GITHUB_WEB_URL is no URL", "GITHUB_V3_API_URL holds a user or password", "STAGECOACH_PUBLIC_URL holds a ? or #"}},
		{"half a GitHub", minimal("GITHUB_WEB_URL", "https://github.example.com"), "", []string{"GITHUB_V3_API_URL is not set, but GITHUB_WEB_URL is"}},
		{"other half", minimal("GITHUB_V3_API_URL", "https://github.example.com/api/v3"), "", []string{"GITHUB_WEB_URL is not set, but GITHUB_V3_API_URL is"}},
		{"address", minimal("STAGECOACH_ADDR", "8080"), "", []string{"STAGECOACH_ADDR is no address"}},
		{"nats", minimal("STAGECOACH_NATS_URL", "localhost:4222"), "", []string{"STAGECOACH_NATS_URL is no list of NATS servers"}},
		{"size", minimal("STAGECOACH_CACHE_SIZE", "ten"), "", []string{"STAGECOACH_CACHE_SIZE is no size; write a number with its unit, like 10GiB"}},
		{"negative size", minimal("STAGECOACH_CACHE_SIZE", "-1G"), "", []string{"STAGECOACH_CACHE_SIZE is no size"}},
		{"unknown unit", minimal("STAGECOACH_CACHE_SIZE", "1PiB"), "", []string{"STAGECOACH_CACHE_SIZE is no size"}},
		{"huge size", minimal("STAGECOACH_CACHE_SIZE", "1e30"), "", []string{"STAGECOACH_CACHE_SIZE is no size"}},
		{"no number", minimal("STAGECOACH_CACHE_SIZE", "NaN"), "", []string{"STAGECOACH_CACHE_SIZE is no size"}},
		{"small size", minimal("STAGECOACH_CACHE_SIZE", "1MB"), "", []string{"STAGECOACH_CACHE_SIZE is too small"}},
		{"pace", minimal("STAGECOACH_PACE", "slow"), "", []string{"STAGECOACH_PACE must be on or off"}},
		{"short key", minimal("STAGECOACH_LEDGER_KEY", "short"), "", []string{"STAGECOACH_LEDGER_KEY is shorter than 16 characters"}},
		{"both", minimal("GITHUB_APP_WEBHOOK_SECRET_FILE", "x"), "", []string{"GITHUB_APP_WEBHOOK_SECRET and GITHUB_APP_WEBHOOK_SECRET_FILE are both set"}},
		{"no such file", minimal("STAGECOACH_METRICS_TOKEN_FILE", "hush"), "", []string{"STAGECOACH_METRICS_TOKEN_FILE: the file cannot be read: file does not exist"}},
		{"unknown key", minimal(), "github:\n  app: {webhok_secret: hush}\n", []string{"s.yml:2: there is no setting `github.app.webhok_secret` (did you mean `github.app.webhook_secret`?)"}},
		{"unknown top", minimal(), "adr: x\n", []string{"s.yml:1: there is no setting `adr` (did you mean `addr`?)"}},
		{"twice", minimal(), "web_url: https://a\ngithub: {web_url: https://b, v3_api_url: https://b}\n", []string{"s.yml:2: github.web_url stands in the file a second time"}},
		{"no object", minimal(), "github: x\n", []string{"s.yml:1: github must be an object"}},
		{"bad value in the file", minimal(), "addr: nowhere\n", []string{"s.yml:1: addr is no address"}},
		{"object for a value", minimal(), "addr: {a: b}\n", []string{"s.yml:1: addr must be a single value or a list"}},
		{"no YAML", minimal(), "addr: *hush\n", []string{"s.yml is not YAML"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			name := ""
			if tt.file != "" {
				name = "s.yml"
			}
			s, err := load(tt.env, map[string]string{"s.yml": tt.file}, name)
			if err == nil || s != nil {
				t.Fatalf("got %v, want errors", s)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got\n%s\nwant\n%s", err, want)
				}
			}
			if n := strings.Count(err.Error(), "\n"); n != len(tt.want) {
				t.Errorf("%d errors, want %d:\n%s", n, len(tt.want), err)
			}
			for _, secret := range []string{"s3cret-hook", "hush", "MII", "short\n"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error shows a secret: %s", err)
				}
			}
		})
	}
	if _, err := load(minimal(), nil, "gone.yml"); err == nil || !strings.Contains(err.Error(), "gone.yml cannot be read: file does not exist") {
		t.Errorf("got %v", err)
	}
}

func TestPrivateKeyFromAnEnvFile(t *testing.T) {
	s, err := load(minimal("GITHUB_APP_PRIVATE_KEY", strings.ReplaceAll(keys().pkcs1, "\n", `\n`)), nil, "")
	if err != nil {
		t.Fatal(err)
	}
	if s.PrivateKey != keys().pkcs1 {
		t.Errorf("got %q", s.PrivateKey)
	}
}

func TestSettingsHideSecrets(t *testing.T) {
	s, err := load(minimal("STAGECOACH_NATS_URL", "nats://u:nats-secret@a:4222", "STAGECOACH_METRICS_TOKEN", "metrics-secret",
		"GITHUB_OAUTH_CLIENT_SECRET", "oauth-secret", "STAGECOACH_LEDGER_KEY", "ledger-secret-0123", "STAGECOACH_OLD_WEBHOOK_SECRETS", "old-secret"), nil, "")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{s.String(), string(raw), fmt.Sprintf("%v %+v %#v %s %q", s, *s, s, *s, s)} {
		for _, secret := range []string{"s3cret-hook", "BEGIN", "nats-secret", "metrics-secret", "oauth-secret", "ledger-secret", "old-secret"} {
			if strings.Contains(text, secret) {
				t.Errorf("%q shows %s", text, secret)
			}
		}
		if !strings.Contains(text, "nats://a:4222") || !strings.Contains(text, "123") {
			t.Errorf("%q shows too little", text)
		}
	}
}

func TestCacheSize(t *testing.T) {
	for text, want := range map[string]int64{
		"": 10 << 30, "0": 0, "10GiB": 10 << 30, "1.5 gib": 3 << 29, "500MB": 500e6, "64m": 64 << 20, "2T": 2 << 40, "100000000": 100_000_000, "70000KB": 70e6,
		"90000000 B": 90_000_000,
	} {
		if s, err := load(minimal("STAGECOACH_CACHE_SIZE", text), nil, ""); err != nil || s.CacheSize != want {
			t.Errorf("%q: %+v, %v; want %d bytes", text, s, err, want)
		}
	}
}

func TestRemoteBases(t *testing.T) {
	for text, want := range map[string][]string{
		"": nil, "off": nil, "Off": nil, "github.com": {"github.com"}, "https://GitHub.com/Acme/": {"github.com/Acme"},
		"github.com/acme, http://localhost:8080\nhttps://git/x": {"github.com/acme", "http://localhost:8080", "git/x"},
	} {
		if s, err := load(minimal("STAGECOACH_REMOTE_BASES", text), nil, ""); err != nil || !slices.Equal(s.RemoteBases, want) {
			t.Errorf("%q: %q, %v; want %q", text, s, err, want)
		}
	}
	for _, text := range []string{"on", "true", "acme/base", "*.example.com", "*", "ssh://git@github.com/acme", "https://u:p@github.com", "git@github.com:acme/base", "github.com/acme?ref=v1", "off,github.com"} {
		_, err := load(minimal("STAGECOACH_REMOTE_BASES", text), nil, "")
		if err == nil || !strings.Contains(err.Error(), "STAGECOACH_REMOTE_BASES is no list of hosts and paths; write HOST or HOST/PATH") || strings.Contains(err.Error(), "u:p") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

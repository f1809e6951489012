package config

import (
	"crypto/hkdf"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"strings"
)

const (
	ledgerPurpose = "stagecoach ledger" // binds the derived key to its use
	keyLength     = 32                  // bytes of a derived key
	minKey        = 16                  // bytes of a given one
)

func ledgerKey(s *Settings, v string) string {
	if v = strings.TrimSpace(v); len(v) < minKey {
		return fmt.Sprintf("is shorter than %d characters; take more, for example from `openssl rand -hex 32`", minKey)
	}
	s.LedgerKey = []byte(v)
	return ""
}

// deriveLedgerKeys fills in the keys that were not given.
func (s *Settings) deriveLedgerKeys() error {
	if s.LedgerKey != nil || s.WebhookSecret == "" {
		return nil
	}
	var err error
	if s.LedgerKey, err = deriveLedgerKey(s.WebhookSecret); err != nil {
		return err
	}
	for _, old := range s.OldWebhookSecrets {
		key, err := deriveLedgerKey(old)
		if err != nil {
			return err
		}
		s.OldLedgerKeys = append(s.OldLedgerKeys, key)
	}
	return nil
}

func deriveLedgerKey(secret string) ([]byte, error) {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, ledgerPurpose, keyLength)
	if err != nil {
		return nil, fmt.Errorf("derive the ledger's key: %w", err)
	}
	return key, nil
}

// privateKey reads the App's key. Line ends that an env file turned into the two
// characters \n are repaired, and quotes that a reader of env files left are taken away.
func privateKey(s *Settings, v string) string {
	v = strings.TrimSpace(strings.Trim(strings.TrimSpace(v), `'"`))
	if !strings.Contains(v, "\n") {
		v = strings.NewReplacer(`\r\n`, "\n", `\n`, "\n").Replace(v)
	}
	block, _ := pem.Decode([]byte(v))
	if block == nil {
		return "is no PEM; give the text of the .pem file that GitHub made, or its path in GITHUB_APP_PRIVATE_KEY_FILE"
	}
	if wrong := notRSA(block); wrong != "" {
		return wrong + "; the App needs the RSA private key that GitHub made for it"
	}
	s.PrivateKey = strings.TrimSpace(v) + "\n"
	return ""
}

func notRSA(block *pem.Block) string {
	switch block.Type {
	case "RSA PRIVATE KEY":
		if block.Headers["DEK-Info"] != "" {
			return "is encrypted"
		}
		if _, err := x509.ParsePKCS1PrivateKey(block.Bytes); err != nil {
			return "is a damaged RSA key"
		}
	case "PRIVATE KEY":
		key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
		if err != nil {
			return "is a damaged private key"
		}
		if _, ok := key.(*rsa.PrivateKey); !ok {
			return "is a private key, but not of RSA"
		}
	default:
		return "is a PEM, but holds no private key of RSA"
	}
	return ""
}

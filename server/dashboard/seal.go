package dashboard

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
)

// sealer encrypts what is kept outside the process: sessions in the store, and sign-ins
// under way in a cookie. Its key derives from the App's client secret, so replicas share
// it, and a new client secret signs everybody out.
type sealer struct{ key []byte }

func newSealer(secret string) (sealer, error) {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "stagecoach dashboard", sha256.Size)
	if err != nil {
		return sealer{}, fmt.Errorf("derive the key of sessions: %w", err)
	}
	return sealer{key}, nil
}

// gcm is a cipher for one purpose. With an ID its key derives from that too: who has the
// store and the settings, but not the browser's cookie, cannot read a session.
func (s sealer) gcm(purpose, id string) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, s.key, []byte(id), purpose, 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

func (s sealer) close(purpose, id string, value any) ([]byte, error) {
	plain, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	gcm, err := s.gcm(purpose, id)
	if err != nil {
		return nil, err
	}
	return gcm.Seal(nil, nil, plain, nil), nil
}

var errSeal = errors.New("it was sealed with another key, or changed")

func (s sealer) open(purpose, id string, sealed []byte, value any) error {
	gcm, err := s.gcm(purpose, id)
	if err != nil {
		return err
	}
	plain, err := gcm.Open(nil, nil, sealed, nil)
	if err != nil {
		return errSeal
	}
	return json.Unmarshal(plain, value)
}

// nameOf is the name under which a session is stored: the store does not hold the ID,
// which is all that a browser shows.
func nameOf(id string) string {
	sum := sha256.Sum256([]byte("stagecoach session " + id))
	return hex.EncodeToString(sum[:])
}

// newID is a secret of 256 bits.
func newID() string {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails, by its documentation
	return hex.EncodeToString(raw)
}

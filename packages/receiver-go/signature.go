package receiver

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// Scheme is which signature is read.
type Scheme string

const (
	// Standard reads the headers of Standard Webhooks, which cover the time.
	Standard Scheme = "standard"
	// BodyOnly reads X-Webhook-Signature, for receivers behind a proxy that drops webhook-… headers. It does not cover
	// the time: who has recorded a request can send it again.
	BodyOnly Scheme = "body-only"
)

const secretPrefix = "whsec_"

func keysOf(scheme Scheme, secrets []string) ([][]byte, error) {
	if len(secrets) == 0 {
		return nil, errors.New("receiver: there are no secrets")
	}
	keys := make([][]byte, len(secrets))
	for i, secret := range secrets {
		key, err := keyOf(scheme, secret)
		if err != nil {
			// Without the secret, which belongs into no log.
			return nil, fmt.Errorf("receiver: secret %d of %d %w", i+1, len(secrets), err)
		}
		keys[i] = key
	}
	return keys, nil
}

func keyOf(scheme Scheme, secret string) ([]byte, error) {
	if scheme == BodyOnly {
		if secret == "" {
			return nil, errors.New("is empty")
		}
		return []byte(secret), nil
	}
	text, hasPrefix := strings.CutPrefix(secret, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(text)
	// The decoder skips line breaks.
	if err != nil || !hasPrefix || len(key) == 0 || strings.ContainsAny(text, "\r\n") {
		return nil, errors.New("is not whsec_ and base64, as the service showed it")
	}
	return key, nil
}

// Returns an entry of webhook-signature.
func signMessage(key []byte, id, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Returns X-Webhook-Signature.
func signBody(key, body []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// Compares all with all, so that the time taken does not tell which is equal.
func requireEqual(entries, expected []string) error {
	equal := 0
	for _, entry := range entries {
		for _, other := range expected {
			equal |= subtle.ConstantTimeCompare([]byte(entry), []byte(other))
		}
	}
	if equal == 0 {
		return refuse(SignatureMismatch, "no signature was made with a known secret")
	}
	return nil
}

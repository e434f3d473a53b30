package receiver

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Scheme selects the signature to verify.
type Scheme string

const (
	// Standard verifies the headers of Standard Webhooks, which cover the timestamp.
	Standard Scheme = "standard"
	// BodyOnly verifies X-Webhook-Signature, for receivers behind a proxy that drops webhook-… headers. It does not cover
	// the timestamp: anyone who has recorded a request can send it again.
	BodyOnly Scheme = "body-only"
)

const secretPrefix = "whsec_"

func keysOf(scheme Scheme, secrets []string) ([][]byte, error) {
	if len(secrets) == 0 {
		return nil, errors.New("receiver: secrets must not be empty")
	}
	keys := make([][]byte, len(secrets))
	for i, secret := range secrets {
		key, err := keyOf(scheme, secret)
		if err != nil {
			// The error omits the secret, which must not be logged.
			return nil, fmt.Errorf("receiver: secrets[%d] %w", i, err)
		}
		keys[i] = key
	}
	return keys, nil
}

// Rejects variables that were set with quotes, spaces or line breaks.
var line = regexp.MustCompile(`^[ -~]+$`)

func keyOf(scheme Scheme, secret string) ([]byte, error) {
	if err := checkLine(secret); err != nil {
		return nil, err
	}
	text, hasPrefix := strings.CutPrefix(secret, secretPrefix)
	if scheme == BodyOnly && !hasPrefix {
		return []byte(secret), nil
	}
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil || !hasPrefix || len(key) == 0 {
		return nil, errors.New("must be whsec_ and base64, as the service showed it")
	}
	if scheme == BodyOnly {
		return []byte(secret), nil
	}
	return key, nil
}

func checkLine(text string) error {
	if text == "" {
		return errors.New("must be a text that is not empty: is its environment variable set?")
	}
	if !line.MatchString(text) || strings.Trim(text, " \"'`") != text {
		return errors.New("must be printable ASCII, without spaces or quotes around it")
	}
	return nil
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

// Compares every pair, so that the time taken does not reveal which one is equal.
func hasEqual(entries, expected []string) bool {
	equal := 0
	for _, entry := range entries {
		for _, other := range expected {
			equal |= subtle.ConstantTimeCompare([]byte(entry), []byte(other))
		}
	}
	return equal != 0
}

// Returns the error for a wrong signature. If the body is not as long as it was sent, something on this side changed
// it. The length is that of the request, or 0 or less if it is unknown.
func mismatch(body []byte, length int64) error {
	if length > 0 && length != int64(len(body)) {
		return refuse(BodyAlreadyRead, fmt.Sprintf("%s (Content-Length is %d, the body has %d bytes)",
			bodyAlreadyRead, length, len(body)))
	}
	if len(body) == 0 {
		return refuse(SignatureMismatch, "no signature was made with a known secret or key: the body is empty")
	}
	return refuse(SignatureMismatch, "no signature was made with a known secret or key")
}

package receiver

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
)

const (
	keySetFetchTimeout = 5 * time.Second
	keySetFetchEvery   = time.Minute
	keySetFresh        = 5 * time.Minute
	keySetFreshMin     = time.Minute
	keySetFreshMax     = 24 * time.Hour
	// How long stale keys serve while no fetch ends: a removed key must not serve for a day if there are few deliveries.
	keySetStaleMax = 5 * time.Minute
	// How long keys serve while they cannot be fetched again.
	keySetServesMax = 24 * time.Hour
	keySetBytesMax  = 64 << 10
	keySetKeysMax   = 20
)

// The public keys of an application, fetched from the service and cached.
type keySet struct {
	url    string
	client *http.Client
	now    func() time.Time

	mu      sync.Mutex
	keys    []ed25519.PublicKey
	version int
	fresh   time.Duration
	// When the last fetch that succeeded, the last that ended, and the last of all began.
	fetchedAt, triedAt, begunAt time.Time
	// Closed when the last fetch has ended.
	ended   chan struct{}
	failure error
}

func newKeySet(address string, now func() time.Time) (*keySet, error) {
	parsed, err := url.Parse(address)
	hasSpace := strings.ContainsFunc(address, unicode.IsSpace)
	if err != nil || hasSpace || parsed.Hostname() == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return nil, errors.New("receiver: keySetUrl must be a URL that begins with http:// or https://")
	}
	client := &http.Client{
		Timeout:       keySetFetchTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &keySet{url: address, client: client, now: now}, nil
}

// Returns the keys and their version. Stale ones are fetched meanwhile.
func (s *keySet) current() ([]ed25519.PublicKey, int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keys == nil || s.age() >= s.fresh {
		s.beginFetch()
		if !s.canServe() {
			s.waitForFetch()
		}
	}
	if s.keys == nil || s.age() > keySetServesMax {
		return nil, 0, refuse(KeysUnavailable, fmt.Sprintf("the key set could not be fetched: %v", s.failure))
	}
	return s.keys, s.version, nil
}

// Returns the keys if there are other ones than those of the version, fetched if that is allowed.
func (s *keySet) otherThan(version int) []ed25519.PublicKey {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.version == version {
		s.beginFetch()
		s.waitForFetch()
	}
	if s.version == version {
		return nil
	}
	return s.keys
}

func (s *keySet) age() time.Duration {
	return distance(s.now(), s.fetchedAt)
}

func (s *keySet) canServe() bool {
	return s.keys != nil && s.age() <= keySetServesMax && distance(s.now(), s.triedAt) < s.fresh+keySetStaleMax
}

// Begins a fetch, unless one began within the last minute. It is independent of the request that needs it.
func (s *keySet) beginFetch() {
	now := s.now()
	if !s.begunAt.IsZero() && distance(now, s.begunAt) < keySetFetchEvery {
		return
	}
	s.begunAt, s.ended = now, make(chan struct{})
	go s.replaceKeys(now, s.ended)
}

// Waits for the last fetch. The caller holds the lock, which is released meanwhile.
func (s *keySet) waitForFetch() {
	ended := s.ended
	s.mu.Unlock()
	<-ended
	s.mu.Lock()
}

func (s *keySet) replaceKeys(begunAt time.Time, ended chan struct{}) {
	keys, fresh, err := s.read()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.failure = err
	} else {
		s.keys, s.fresh, s.fetchedAt = keys, fresh, begunAt
		s.version++
	}
	s.triedAt = begunAt
	close(ended)
}

func (s *keySet) read() ([]ed25519.PublicKey, time.Duration, error) {
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.url, nil)
	if err != nil {
		return nil, 0, err
	}
	// On a connection that was used before, net/http may repeat the request on its own.
	request.Close = true
	request.Header.Set("User-Agent", userAgent())
	response, err := s.client.Do(request)
	if err != nil {
		return nil, 0, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, 0, fmt.Errorf("the key set has the status %d", response.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, keySetBytesMax+1))
	if err != nil {
		return nil, 0, err
	}
	if len(text) > keySetBytesMax {
		return nil, 0, fmt.Errorf("the key set is longer than %d bytes", keySetBytesMax)
	}
	keys, err := readKeySet(text)
	return keys, freshFor(valueOf(response.Header, "cache-control")), err
}

func readKeySet(text []byte) ([]ed25519.PublicKey, error) {
	set, isObject := readObject(text)
	var jwks []json.RawMessage
	if !isObject || json.Unmarshal(set["keys"], &jwks) != nil {
		return nil, errors.New("the key set is not a JSON object with a list of keys")
	}
	var keys []ed25519.PublicKey
	for _, raw := range jwks {
		jwk, _ := readObject(raw)
		if readText(jwk["kty"]) != "OKP" || readText(jwk["crv"]) != "Ed25519" {
			continue
		}
		x, err := base64.RawURLEncoding.Strict().DecodeString(readText(jwk["x"]))
		if err == nil && len(x) == ed25519.PublicKeySize && len(keys) < keySetKeysMax {
			keys = append(keys, x)
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("the key set has no Ed25519 key")
	}
	return keys, nil
}

var maxAge = regexp.MustCompile(`(?i)(?:^|[,\s])max-age=([0-9]{1,9})[0-9]*(?:$|[,\s])`)

func freshFor(cacheControl string) time.Duration {
	found := maxAge.FindStringSubmatch(cacheControl)
	if found == nil {
		return keySetFresh
	}
	seconds, err := strconv.Atoi(found[1])
	if err != nil {
		return keySetFresh
	}
	return min(max(time.Duration(seconds)*time.Second, keySetFreshMin), keySetFreshMax)
}

// A clock may be set back.
func distance(a, b time.Time) time.Duration {
	return a.Sub(b).Abs()
}

const (
	publicKeyPrefix = "whpk_"
	// How many v1a entries are checked: a stranger may send thousands.
	asymmetricMax = 20
)

func publicKeysOf(texts []string) ([]ed25519.PublicKey, error) {
	if len(texts) == 0 {
		return nil, errors.New("receiver: publicKeys must not be empty")
	}
	keys := make([]ed25519.PublicKey, len(texts))
	for i, text := range texts {
		if err := checkLine(text); err != nil {
			return nil, fmt.Errorf("receiver: publicKeys[%d] %w", i, err)
		}
		encoded, hasPrefix := strings.CutPrefix(text, publicKeyPrefix)
		key, err := base64.StdEncoding.Strict().DecodeString(encoded)
		if err != nil || !hasPrefix || len(key) != ed25519.PublicKeySize {
			return nil, fmt.Errorf("receiver: publicKeys[%d] must be whpk_ and base64, as the service showed it", i)
		}
		keys[i] = key
	}
	return keys, nil
}

// Returns the signatures of the v1a entries that may be valid.
func asymmetricSignatures(entries []string) [][]byte {
	var signatures [][]byte
	for _, entry := range entries {
		text, isAsymmetric := strings.CutPrefix(entry, "v1a,")
		if !isAsymmetric || len(text) != base64.StdEncoding.EncodedLen(ed25519.SignatureSize) {
			continue
		}
		signature, err := base64.StdEncoding.Strict().DecodeString(text)
		if err == nil && len(signature) == ed25519.SignatureSize && len(signatures) < asymmetricMax {
			signatures = append(signatures, signature)
		}
	}
	return signatures
}

func isSignedByAny(keys []ed25519.PublicKey, signed []byte, signatures [][]byte) bool {
	for _, key := range keys {
		for _, signature := range signatures {
			if ed25519.Verify(key, signed, signature) {
				return true
			}
		}
	}
	return false
}

package receiver

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	defaultTolerance    = 5 * time.Minute
	defaultBodyBytesMax = 1 << 20
)

// Verifier verifies that requests are deliveries signed with one of its secrets or public keys. It is safe for
// concurrent use.
type Verifier struct {
	keys         [][]byte
	publicTexts  *[]string
	keySetURL    *string
	webhookUID   string
	publicKeys   []ed25519.PublicKey
	keySet       *keySet
	scheme       Scheme
	tolerance    time.Duration
	bodyBytesMax int64
	now          func() time.Time
}

// VerifierOption configures a Verifier.
type VerifierOption func(*Verifier)

// WithScheme selects the signature to verify. The default is Standard.
func WithScheme(scheme Scheme) VerifierOption {
	return func(v *Verifier) { v.scheme = scheme }
}

// WithTolerance sets the maximum difference between webhook-timestamp and the clock. The default is five minutes.
func WithTolerance(tolerance time.Duration) VerifierOption {
	return func(v *Verifier) { v.tolerance = tolerance }
}

// WithBodyBytesMax sets the maximum size of a body in bytes. The default is 1 MiB. The service sends at most 256 KiB.
func WithBodyBytesMax(bytesMax int64) VerifierOption {
	return func(v *Verifier) { v.bodyBytesMax = bytesMax }
}

// WithPublicKeys verifies v1a signatures with the public keys of the application (whpk_…), instead of secrets. It needs
// WithWebhookUID.
func WithPublicKeys(keys ...string) VerifierOption {
	return func(v *Verifier) { v.publicTexts = &keys }
}

// WithKeySetURL verifies v1a signatures with the public keys at the URL, instead of secrets. They are fetched when a
// delivery needs them, and cached. It needs WithWebhookUID.
func WithKeySetURL(url string) VerifierOption {
	return func(v *Verifier) { v.keySetURL = &url }
}

// WithWebhookUID sets the uid of the webhook (whk_…). Public keys need it, because they are the same for all webhooks of
// the application.
func WithWebhookUID(uid string) VerifierOption {
	return func(v *Verifier) { v.webhookUID = uid }
}

// WithClock replaces the clock, for tests.
func WithClock(now func() time.Time) VerifierOption {
	return func(v *Verifier) { v.now = now }
}

// NewVerifier takes the secrets of a webhook: one, both during a rotation, or nil with WithPublicKeys or WithKeySetURL.
// It returns an error for an invalid secret or option.
func NewVerifier(secrets []string, options ...VerifierOption) (*Verifier, error) {
	v := &Verifier{
		scheme:       Standard,
		tolerance:    defaultTolerance,
		bodyBytesMax: defaultBodyBytesMax,
		now:          time.Now,
	}
	for _, option := range options {
		option(v)
	}
	if err := v.checkOptions(); err != nil {
		return nil, err
	}
	if err := v.setKeys(secrets); err != nil {
		return nil, err
	}
	return v, nil
}

var webhookUIDs = regexp.MustCompile(`^whk_[0-9a-z]+$`)

func (v *Verifier) setKeys(secrets []string) (err error) {
	switch hasKeys, hasURL := v.publicTexts != nil, v.keySetURL != nil; {
	case !hasKeys && !hasURL:
		v.keys, err = keysOf(v.scheme, secrets)
	case hasKeys && hasURL, secrets != nil:
		err = errors.New("receiver: secrets must be the only one of secrets, publicKeys and keySetUrl")
	case v.scheme != Standard:
		err = errors.New("receiver: scheme must be standard with publicKeys or keySetUrl")
	case !webhookUIDs.MatchString(v.webhookUID):
		err = errors.New("receiver: webhookUid must be the uid of the webhook (whk_…) with publicKeys or keySetUrl")
	case hasURL:
		v.keySet, err = newKeySet(*v.keySetURL, v.now)
	default:
		v.publicKeys, err = publicKeysOf(*v.publicTexts)
	}
	return err
}

func (v *Verifier) checkOptions() error {
	switch {
	case v.scheme != Standard && v.scheme != BodyOnly:
		return errors.New("receiver: scheme must be standard or body-only")
	case v.tolerance < 0:
		return errors.New("receiver: tolerance must be a number from 0 on")
	case v.bodyBytesMax < 1:
		return errors.New("receiver: bodyBytesMax must be a whole number from 1 on")
	case v.now == nil:
		return errors.New("receiver: clock must not be nil")
	}
	return nil
}

// Verify returns the delivery or a *RefusedError. The body must be the bytes that arrived, not parsed.
func (v *Verifier) Verify(header http.Header, body []byte) (*Delivery, error) {
	return v.verify(header, body, max(0, readCount(valueOf(header, "content-length"))))
}

func (v *Verifier) verify(header http.Header, body []byte, length int64) (*Delivery, error) {
	verify := v.verifyStandard
	if v.scheme == BodyOnly {
		verify = v.verifyBodyOnly
	}
	eventID, isRight, err := verify(header, body)
	if err != nil {
		return nil, err
	}
	if !isRight {
		return nil, mismatch(body, length)
	}
	delivery, err := readDelivery(header, body)
	if err != nil {
		return nil, err
	}
	if eventID != "" && eventID != delivery.EventID {
		return nil, refuse(EventIDMismatch, "the header has another eventId than the body")
	}
	return delivery, nil
}

func (v *Verifier) verifyStandard(header http.Header, body []byte) (eventID string, isRight bool, err error) {
	id := valueOf(header, "webhook-id")
	timestamp := valueOf(header, "webhook-timestamp")
	signature := valueOf(header, "webhook-signature")
	if id == "" || timestamp == "" || signature == "" {
		const names = "webhook-id, webhook-timestamp or webhook-signature"
		return "", false, refuse(MissingHeader, names+" is absent or empty")
	}
	if err := v.checkTime(timestamp); err != nil {
		return "", false, err
	}
	if v.keys == nil {
		start := id + "." + timestamp + "." + v.webhookUID + "."
		isRight, err := v.isSigned(append([]byte(start), body...), strings.Split(signature, " "))
		return id, isRight, err
	}
	expected := make([]string, len(v.keys))
	for i, key := range v.keys {
		expected[i] = signMessage(key, id, timestamp, body)
	}
	return id, hasEqual(strings.Split(signature, " "), expected), nil
}

func (v *Verifier) isSigned(signed []byte, entries []string) (bool, error) {
	signatures := asymmetricSignatures(entries)
	if len(signatures) == 0 || v.keySet == nil {
		return isSignedByAny(v.publicKeys, signed, signatures), nil
	}
	keys, version, err := v.keySet.current()
	if err != nil || isSignedByAny(keys, signed, signatures) {
		return err == nil, err
	}
	return isSignedByAny(v.keySet.otherThan(version), signed, signatures), nil
}

func (v *Verifier) verifyBodyOnly(header http.Header, body []byte) (eventID string, isRight bool, err error) {
	signature := valueOf(header, "x-webhook-signature")
	if signature == "" {
		return "", false, refuse(MissingHeader, "X-Webhook-Signature is absent or empty")
	}
	expected := make([]string, len(v.keys))
	for i, key := range v.keys {
		expected[i] = signBody(key, body)
	}
	return valueOf(header, "x-webhook-event-id"), hasEqual([]string{signature}, expected), nil
}

var wholeSeconds = regexp.MustCompile(`^[0-9]{1,12}$`)

func (v *Verifier) checkTime(timestamp string) error {
	if !wholeSeconds.MatchString(timestamp) {
		return refuse(InvalidTimestamp, "webhook-timestamp is not 1 to 12 digits")
	}
	signedAt, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return refuse(InvalidTimestamp, "webhook-timestamp is no number")
	}
	ageSeconds := v.now().Unix() - signedAt
	// Compared as numbers, because a duration of 12 digits would overflow.
	if float64(ageSeconds) > v.tolerance.Seconds() {
		return refuse(TimestampTooOld, fmt.Sprintf("it was signed %d s ago", ageSeconds))
	}
	if float64(-ageSeconds) > v.tolerance.Seconds() {
		return refuse(TimestampTooNew, fmt.Sprintf("it was signed %d s ahead of this clock", -ageSeconds))
	}
	return nil
}

// Returns a header, whatever the case of its name, even from maps that net/http did not make.
func valueOf(header http.Header, name string) string {
	values := header.Values(name)
	if values == nil {
		for other := range header {
			if strings.EqualFold(other, name) {
				values = header[other]
			}
		}
	}
	return strings.Trim(strings.Join(values, ", "), " \t")
}

package receiver

import (
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

// Verifier tells deliveries made with one of its secrets from everything else. Safe for concurrent use.
type Verifier struct {
	keys         [][]byte
	scheme       Scheme
	tolerance    time.Duration
	bodyBytesMax int64
	now          func() time.Time
}

// VerifierOption changes what a Verifier does by default.
type VerifierOption func(*Verifier)

// WithScheme chooses the signature that is read; Standard by default.
func WithScheme(scheme Scheme) VerifierOption {
	return func(v *Verifier) { v.scheme = scheme }
}

// WithTolerance sets how far the time of an attempt may be from the clock; five minutes by default.
func WithTolerance(tolerance time.Duration) VerifierOption {
	return func(v *Verifier) { v.tolerance = tolerance }
}

// WithBodyBytesMax sets the longest body that handlers read; 1 MiB by default. The service sends at most 256 KiB.
func WithBodyBytesMax(bytesMax int64) VerifierOption {
	return func(v *Verifier) { v.bodyBytesMax = bytesMax }
}

// WithClock replaces the clock, for tests.
func WithClock(now func() time.Time) VerifierOption {
	return func(v *Verifier) { v.now = now }
}

// NewVerifier takes the secrets of a webhook: one, or during a rotation the new and the old one. It returns an error for
// a secret that cannot be one.
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
	if v.scheme != Standard && v.scheme != BodyOnly {
		return nil, fmt.Errorf("receiver: the scheme is %q or %q (got %q)", Standard, BodyOnly, v.scheme)
	}
	if v.tolerance < 0 || v.bodyBytesMax < 1 {
		return nil, fmt.Errorf("receiver: the tolerance is at least 0, and the longest body 1 byte (got %v, %d)",
			v.tolerance, v.bodyBytesMax)
	}
	keys, err := keysOf(v.scheme, secrets)
	if err != nil {
		return nil, err
	}
	v.keys = keys
	return v, nil
}

// Verify returns the delivery, or a *RefusedError. The body is what arrived, before any parser.
func (v *Verifier) Verify(header http.Header, body []byte) (*Delivery, error) {
	verify := v.verifyStandard
	if v.scheme == BodyOnly {
		verify = v.verifyBodyOnly
	}
	eventID, err := verify(header, body)
	if err != nil {
		return nil, err
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

func (v *Verifier) verifyStandard(header http.Header, body []byte) (eventID string, err error) {
	id := valueOf(header, "webhook-id")
	timestamp := valueOf(header, "webhook-timestamp")
	signature := valueOf(header, "webhook-signature")
	if id == "" || timestamp == "" || signature == "" {
		const names = "webhook-id, webhook-timestamp or webhook-signature"
		return "", refuse(MissingHeader, names+" is absent or empty")
	}
	if err := v.checkTime(timestamp); err != nil {
		return "", err
	}
	expected := make([]string, len(v.keys))
	for i, key := range v.keys {
		expected[i] = signMessage(key, id, timestamp, body)
	}
	return id, requireEqual(strings.Split(signature, " "), expected)
}

func (v *Verifier) verifyBodyOnly(header http.Header, body []byte) (eventID string, err error) {
	signature := valueOf(header, "x-webhook-signature")
	if signature == "" {
		return "", refuse(MissingHeader, "X-Webhook-Signature is absent or empty")
	}
	expected := make([]string, len(v.keys))
	for i, key := range v.keys {
		expected[i] = signBody(key, body)
	}
	return valueOf(header, "x-webhook-event-id"), requireEqual([]string{signature}, expected)
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
	// Not as durations, which 12 digits would overflow.
	if float64(ageSeconds) > v.tolerance.Seconds() {
		return refuse(TimestampTooOld, fmt.Sprintf("it was signed %d s ago", ageSeconds))
	}
	if float64(-ageSeconds) > v.tolerance.Seconds() {
		return refuse(TimestampTooNew, fmt.Sprintf("it was signed %d s ahead of this clock", -ageSeconds))
	}
	return nil
}

// Returns a header whatever the case of its name, also of maps that net/http has not made.
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

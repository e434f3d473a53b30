// Package cases reads the deliveries that the receivers of all languages are tested with.
package cases

import (
	"embed"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	receiver "github.com/agent-herald/agent-herald/packages/receiver-go"
)

// Copies of packages/receiver-cases, so that the module can be tested on its own.
//
//go:embed testdata
var testdata embed.FS

// File is the content of deliveries.json.
type File struct {
	StandardWebhooks  []Vector     `json:"standardWebhooks"`
	XWebhookSignature []BodyVector `json:"xWebhookSignature"`
	V1a               []KeyVector  `json:"v1a"`
	Deliveries        []Case       `json:"deliveries"`
}

// Vector is a public test vector of Standard Webhooks.
type Vector struct {
	Secret    string `json:"secret"`
	ID        string `json:"id"`
	Timestamp int64  `json:"timestamp"`
	Body      string `json:"body"`
	Signature string `json:"signature"`
}

// KeyVector is a test vector of v1a, made with another implementation.
type KeyVector struct {
	PublicKey  string `json:"publicKey"`
	ID         string `json:"id"`
	Timestamp  int64  `json:"timestamp"`
	WebhookUID string `json:"webhookUid"`
	Body       string `json:"body"`
	Signature  string `json:"signature"`
}

// BodyVector is a public test vector of X-Webhook-Signature.
type BodyVector struct {
	Secret string `json:"secret"`
	Body   string `json:"body"`
	Header string `json:"header"`
}

// Case is a request, and the expected result of a receiver.
type Case struct {
	Name             string            `json:"name"`
	Scheme           receiver.Scheme   `json:"scheme"`
	Secrets          []string          `json:"secrets"`
	PublicKeys       []string          `json:"publicKeys"`
	WebhookUID       string            `json:"webhookUid"`
	Headers          map[string]string `json:"headers"`
	BodyBase64       string            `json:"bodyBase64"`
	BodyRepeat       *repeat           `json:"bodyRepeat"`
	NowSeconds       int64             `json:"nowSeconds"`
	ToleranceSeconds *int64            `json:"toleranceSeconds"`
	Expect           json.RawMessage   `json:"expect"`
}

type repeat struct {
	Before string `json:"before"`
	Text   string `json:"text"`
	Times  int    `json:"times"`
	After  string `json:"after"`
}

// Read returns the deliveries.
func Read() (File, error) {
	var file File
	err := readJSON("deliveries.json", &file)
	return file, err
}

func readJSON(name string, into any) error {
	text, err := testdata.ReadFile("testdata/" + name)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// OptionsFile is the content of options.json.
type OptionsFile struct {
	Cases []OptionsCase `json:"cases"`
}

// OptionsCase has options, and the expected error if they are refused. Untyped ones do not compile in Go.
type OptionsCase struct {
	Name    string                     `json:"name"`
	Options map[string]json.RawMessage `json:"options"`
	Refused *Refusal                   `json:"refused"`
	Untyped bool                       `json:"untyped"`
}

// Refusal names the refused option and its rule.
type Refusal struct {
	Option string `json:"option"`
	Rule   string `json:"rule"`
}

// ReadOptions returns the option cases.
func ReadOptions() (OptionsFile, error) {
	var file OptionsFile
	err := readJSON("options.json", &file)
	return file, err
}

// KeySetsFile is the content of key-sets.json.
type KeySetsFile struct {
	Cases []struct {
		Name  string       `json:"name"`
		Steps []KeySetStep `json:"steps"`
	} `json:"cases"`
}

// KeySetStep serves a set, signs a delivery with a key, sends what is held, or moves the clock. A Serve of null closes the
// connection.
type KeySetStep struct {
	Serve       json.RawMessage `json:"serve"`
	Deliver     string          `json:"deliver"`
	Expect      string          `json:"expect"`
	Fetches     int64           `json:"fetches"`
	Respond     bool            `json:"respond"`
	WaitSeconds int64           `json:"waitSeconds"`
}

// ServedKeySet is a response. A text in Keys is the name of a key.
type ServedKeySet struct {
	Status       int     `json:"status"`
	CacheControl *string `json:"cacheControl"`
	Bytes        int     `json:"bytes"`
	Held         bool    `json:"held"`
	Keys         []any   `json:"keys"`
	Body         *string `json:"body"`
}

// ReadKeySets returns the cases of key sets.
func ReadKeySets() (KeySetsFile, error) {
	var file KeySetsFile
	err := readJSON("key-sets.json", &file)
	return file, err
}

// Header returns the headers as net/http would.
func (c Case) Header() http.Header {
	header := http.Header{}
	for name, value := range c.Headers {
		header.Set(name, value)
	}
	return header
}

// Body returns the bytes of the body.
func (c Case) Body() ([]byte, error) {
	if r := c.BodyRepeat; r != nil {
		return []byte(r.Before + strings.Repeat(r.Text, r.Times) + r.After), nil
	}
	return base64.StdEncoding.DecodeString(c.BodyBase64)
}

// Verifier returns a verifier with the options of the case.
func (c Case) Verifier() (*receiver.Verifier, error) {
	options := []receiver.VerifierOption{
		receiver.WithScheme(c.Scheme),
		receiver.WithClock(func() time.Time { return time.Unix(c.NowSeconds, 0) }),
	}
	if c.ToleranceSeconds != nil {
		tolerance := time.Duration(*c.ToleranceSeconds) * time.Second
		options = append(options, receiver.WithTolerance(tolerance))
	}
	if c.PublicKeys != nil {
		options = append(options, receiver.WithPublicKeys(c.PublicKeys...), receiver.WithWebhookUID(c.WebhookUID))
	}
	return receiver.NewVerifier(c.Secrets, options...)
}

package receiver_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"testing"
	"time"

	receiver "github.com/agent-herald/agent-herald/packages/receiver-go"
	"github.com/agent-herald/agent-herald/packages/receiver-go/internal/cases"
)

func readCases(t *testing.T) cases.File {
	t.Helper()
	file, err := cases.Read()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestEachSharedCaseHasItsExpectedResult(t *testing.T) {
	for _, one := range readCases(t).Deliveries {
		t.Run(one.Name, func(t *testing.T) {
			verdict, err := cases.Judge(one)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(verdict)
			if err != nil {
				t.Fatal(err)
			}
			if !equalJSON(t, text, one.Expect) {
				t.Errorf("got %s, want %s", text, one.Expect)
			}
		})
	}
}

func equalJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var one, other any
	if err := json.Unmarshal(a, &one); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &other); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(one, other)
}

// The bodies of the vectors are not events, so a valid signature leads to the next check.
func TestPublicSignatureVectorsVerify(t *testing.T) {
	file := readCases(t)
	for _, one := range file.StandardWebhooks {
		header := http.Header{}
		header.Set("webhook-id", one.ID)
		header.Set("webhook-timestamp", strconv.FormatInt(one.Timestamp, 10))
		header.Set("webhook-signature", one.Signature)
		now := func() time.Time { return time.Unix(one.Timestamp, 0) }
		expectCode(t, receiver.InvalidBody, one.Secret, header, one.Body, receiver.WithClock(now))
		header.Set("webhook-signature", one.Signature+"A")
		expectCode(t, receiver.SignatureMismatch, one.Secret, header, one.Body, receiver.WithClock(now))
	}
	for _, one := range file.XWebhookSignature {
		bodyOnly := receiver.WithScheme(receiver.BodyOnly)
		header := http.Header{"X-Webhook-Signature": {one.Header}}
		expectCode(t, receiver.InvalidBody, one.Secret, header, one.Body, bodyOnly)
		expectCode(t, receiver.SignatureMismatch, "x"+one.Secret, header, one.Body, bodyOnly)
	}
}

func expectCode(
	t *testing.T, code receiver.Code, secret string, header http.Header, body string,
	options ...receiver.VerifierOption,
) {
	t.Helper()
	verifier, err := receiver.NewVerifier([]string{secret}, options...)
	if err != nil {
		t.Fatal(err)
	}
	_, err = verifier.Verify(header, []byte(body))
	refused, ok := err.(*receiver.RefusedError)
	if !ok || refused.Code != code {
		t.Errorf("got %v, want %s", err, code)
	}
}

package receiver_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	receiver "github.com/agent-herald/agent-herald/packages/receiver-go"
)

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// Signs like the service does, with separate code.
func signedRequest(eventID, body string) *http.Request {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		panic(err)
	}
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", eventID, timestamp, body)
	request := httptest.NewRequest(http.MethodPost, "/webhooks", strings.NewReader(body))
	request.Header.Set("webhook-id", eventID)
	request.Header.Set("webhook-timestamp", timestamp)
	request.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return request
}

func bodyOf(eventID, fields string) string {
	return `{"eventId":"` + eventID + `","event":"agent.updated","timestamp":"2026-11-21T12:00:00.000Z",` +
		`"appUid":"app_1","version":1` + fields + `,"data":{"uid":"agt_1","externalTenantId":"t","agentName":"Ada"}}`
}

func newVerifier(t *testing.T, options ...receiver.VerifierOption) *receiver.Verifier {
	t.Helper()
	verifier, err := receiver.NewVerifier([]string{secret}, options...)
	if err != nil {
		t.Fatal(err)
	}
	return verifier
}

// Sends a request and checks the response. The code is "" for 204.
func expectAnswer(t *testing.T, handler http.Handler, request *http.Request, status int, code string) http.Header {
	t.Helper()
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	want := ""
	if code != "" {
		want = `{"code":"` + code + `"}` + "\n"
	}
	if recorder.Code != status || recorder.Body.String() != want {
		t.Errorf("got %d %q, want %d %q", recorder.Code, recorder.Body.String(), status, want)
	}
	return recorder.Header()
}

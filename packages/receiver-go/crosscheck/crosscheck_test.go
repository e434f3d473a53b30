// Package crosscheck compares the receiver with the Go library of Standard Webhooks. It is a separate module, so that
// the receiver has no dependencies.
package crosscheck

import (
	"errors"
	"net/http"
	"strconv"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	receiver "github.com/agent-herald/agent-herald/packages/receiver-go"
)

const (
	secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	other  = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
	body   = `{"eventId":"evt_1","event":"agent.updated","timestamp":"2026-11-21T12:00:00.000Z","appUid":"app_1",` +
		`"version":1,"data":{"uid":"agt_1","externalTenantId":"t"}}`
)

func signed(t *testing.T, key string, at time.Time) http.Header {
	t.Helper()
	library, err := standardwebhooks.NewWebhook(key)
	if err != nil {
		t.Fatal(err)
	}
	signature, err := library.Sign("evt_1", at, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	header := http.Header{}
	header.Set("webhook-id", "evt_1")
	header.Set("webhook-timestamp", strconv.FormatInt(at.Unix(), 10))
	header.Set("webhook-signature", signature)
	return header
}

func TestBothAcceptSignaturesOfTheLibrary(t *testing.T) {
	now := time.Now()
	headers := map[string]http.Header{
		"right":        signed(t, secret, now),
		"other secret": signed(t, other, now),
		"too old":      signed(t, secret, now.Add(-6*time.Minute)),
		"too new":      signed(t, secret, now.Add(6*time.Minute)),
		"other id":     signed(t, secret, now),
		"two versions": signed(t, secret, now),
	}
	headers["other id"].Set("webhook-id", "evt_2")
	headers["two versions"].Set("webhook-signature", "v2,AAAA "+headers["right"].Get("webhook-signature"))
	library, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := receiver.NewVerifier([]string{secret})
	if err != nil {
		t.Fatal(err)
	}
	for name, header := range headers {
		theirs := library.Verify([]byte(body), header)
		_, ours := verifier.Verify(header, []byte(body))
		var refused *receiver.RefusedError
		if (theirs == nil) != (ours == nil) || (ours != nil && !errors.As(ours, &refused)) {
			t.Errorf("%s: the library says %v, the receiver %v", name, theirs, ours)
		}
	}
}

package receiver_test

import (
	"crypto/ed25519"
	"encoding/json"
	"strings"
	"testing"

	receiver "github.com/agent-herald/agent-herald/packages/receiver-go"
	"github.com/agent-herald/agent-herald/packages/receiver-go/internal/cases"
)

func TestKeySetsAreFetchedAsTheSharedCasesExpect(t *testing.T) {
	file, err := cases.ReadKeySets()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range file.Cases {
		t.Run(one.Name, func(t *testing.T) {
			server := newKeyServer(t)
			keys := map[string]ed25519.PrivateKey{"first": newKey(t), "second": newKey(t), "third": newKey(t)}
			verifier := server.verifier(t)
			for _, step := range one.Steps {
				switch {
				case step.Serve != nil:
					server.serveCase(t, step.Serve, keys)
				case step.Respond:
					server.release()
				case step.Deliver != "":
					code := receiver.Code(strings.Replace(step.Expect, "ok", "", 1))
					server.expect(t, verifier, keys[step.Deliver], code, step.Fetches)
				default:
					server.seconds.Add(step.WaitSeconds)
				}
			}
		})
	}
}

func (s *keyServer) serveCase(t *testing.T, step json.RawMessage, keys map[string]ed25519.PrivateKey) {
	t.Helper()
	if string(step) == "null" {
		s.serve(0, "")
		return
	}
	served := cases.ServedKeySet{Status: 200}
	if err := json.Unmarshal(step, &served); err != nil {
		t.Fatal(err)
	}
	if served.Held {
		s.hold()
	}
	body := bodyOfSet(t, served, keys)
	var cacheControl []string
	if served.CacheControl != nil {
		cacheControl = []string{*served.CacheControl}
	}
	s.serve(served.Status, body+strings.Repeat(" ", max(0, served.Bytes-len(body))), cacheControl...)
}

// Returns the set, in which names stand for keys.
func bodyOfSet(t *testing.T, served cases.ServedKeySet, keys map[string]ed25519.PrivateKey) string {
	t.Helper()
	if served.Body != nil {
		return *served.Body
	}
	jwks := make([]any, len(served.Keys))
	for i, key := range served.Keys {
		jwks[i] = key
		if name, ok := key.(string); ok {
			jwks[i] = json.RawMessage(jwkOf(keys[name]))
		}
	}
	text, err := json.Marshal(map[string]any{"keys": jwks})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

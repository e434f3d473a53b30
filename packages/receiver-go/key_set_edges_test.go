package receiver_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	receiver "github.com/agent-herald/agent-herald/packages/receiver-go"
)

func jwkOf(key ed25519.PrivateKey) string {
	x := base64.RawURLEncoding.EncodeToString(key.Public().(ed25519.PublicKey))
	return `{"kty":"OKP","crv":"Ed25519","x":"` + x + `"}`
}

func (s *keyServer) request(key ed25519.PrivateKey) *http.Request {
	header, body := entryHeader(key, s.now(), "")
	request := httptest.NewRequest(http.MethodPost, "/webhooks", strings.NewReader(string(body)))
	request.Header = header
	return request
}

func TestConcurrentDeliveriesShareAFetchThatFails(t *testing.T) {
	server, key := newKeyServer(t), newKey(t)
	server.serve(500, "")
	verifier := server.verifier(t)
	var group sync.WaitGroup
	for range 20 {
		group.Add(1)
		go func() {
			defer group.Done()
			header, body := entryHeader(key, server.now(), "")
			if code := codeOf(t, verifier, header, body); code != receiver.KeysUnavailable {
				t.Errorf("got %q", code)
			}
		}()
	}
	group.Wait()
	server.expect(t, verifier, key, receiver.KeysUnavailable, 1)
}

func TestNamesInAKeySetAreCaseSensitive(t *testing.T) {
	key := newKey(t)
	right := `{"keys":[` + jwkOf(key) + `]}`
	for _, name := range []string{"keys", "kty", "crv", "x"} {
		server := newKeyServer(t)
		server.serve(200, strings.Replace(right, `"`+name+`"`, `"`+strings.ToUpper(name)+`"`, 1))
		server.expect(t, server.verifier(t), key, receiver.KeysUnavailable, 1)
	}
}

// Returns another text for the same bytes: the last letter has bits that do not count.
func uncanonical(text string) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	last := len(strings.TrimRight(text, "=")) - 1
	next := letters[strings.IndexByte(letters, text[last])+1]
	return text[:last] + string(next) + text[last+1:]
}

func TestOnlyCanonicalBase64Counts(t *testing.T) {
	server, key := newKeyServer(t), newKey(t)
	server.serveKeys(key)
	header, body := entryHeader(key, server.now(), "")
	header.Set("webhook-signature", uncanonical(header.Get("webhook-signature")))
	code := codeOf(t, server.verifier(t), header, body)
	if requests := server.requests.Load(); code != receiver.SignatureMismatch || requests != 0 {
		t.Errorf("an entry: got %q after %d requests", code, requests)
	}
	x := base64.RawURLEncoding.EncodeToString(key.Public().(ed25519.PublicKey))
	server.serve(200, `{"keys":[`+strings.Replace(jwkOf(key), x, uncanonical(x), 1)+`]}`)
	server.expect(t, server.verifier(t), key, receiver.KeysUnavailable, 1)
}

func TestARepeatedCacheControlIsReadAsAWhole(t *testing.T) {
	server, key := newKeyServer(t), newKey(t)
	server.serve(200, `{"keys":[`+jwkOf(key)+`]}`, "public", "max-age=1200")
	verifier := server.verifier(t)
	server.expect(t, verifier, key, "", 1)
	server.seconds.Add(1199)
	server.expect(t, verifier, key, "", 1)
}

// The service retries, but the receiver's operator has to know why.
func TestUnavailableKeysAre503AndLoggedAsAnError(t *testing.T) {
	server := newKeyServer(t)
	server.serve(404, "")
	var log strings.Builder
	logger := slog.New(slog.NewTextHandler(&log, nil))
	before := slog.Default()
	slog.SetDefault(logger)
	defer slog.SetDefault(before)
	events := &calls{}
	next := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("passed on") })
	defer events.expect(t, 0)
	for name, handler := range map[string]http.Handler{
		"handler":    receiver.NewHandler(server.verifier(t), events.handle, receiver.WithLogger(logger)),
		"middleware": server.verifier(t).Middleware(next),
	} {
		log.Reset()
		expectAnswer(t, handler, server.request(newKey(t)), 503, "keys_unavailable")
		if !strings.Contains(log.String(), "level=ERROR") || !strings.Contains(log.String(), "the status 404") {
			t.Errorf("%s: logged %q", name, log.String())
		}
	}
}

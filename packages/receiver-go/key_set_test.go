package receiver_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	receiver "github.com/agent-herald/agent-herald/packages/receiver-go"
	"github.com/agent-herald/agent-herald/packages/receiver-go/internal/cases"
)

const webhookUID = "whk_1"

// The server of a key set, and the clock of its receivers.
type keyServer struct {
	*httptest.Server
	requests     atomic.Int64
	mu           sync.Mutex
	status       int
	body         string
	cacheControl []string
	userAgents   []string
	seconds      atomic.Int64
	// Closed when requests may get a response.
	released chan struct{}
}

func newKeyServer(t *testing.T) *keyServer {
	t.Helper()
	s := &keyServer{}
	s.hold()
	s.release()
	s.seconds.Store(time.Now().Unix())
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.userAgents = append(s.userAgents, r.UserAgent())
		released := s.released
		s.mu.Unlock()
		<-released
		s.mu.Lock()
		if s.status == 0 {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Location", "/other")
		w.Header()["Cache-Control"] = s.cacheControl
		w.WriteHeader(s.status)
		fmt.Fprint(w, s.body)
	}))
	t.Cleanup(func() {
		s.release()
		s.Close()
	})
	return s
}

// Requests get no response until the release.
func (s *keyServer) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.released = make(chan struct{})
}

func (s *keyServer) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.released:
	default:
		close(s.released)
	}
}

// With the status 0, it closes connections without a response.
func (s *keyServer) serve(status int, body string, cacheControl ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status, s.body, s.cacheControl = status, body, cacheControl
}

func (s *keyServer) serveKeys(keys ...ed25519.PrivateKey) {
	texts := make([]string, len(keys))
	for i, key := range keys {
		x := base64.RawURLEncoding.EncodeToString(key.Public().(ed25519.PublicKey))
		texts[i] = `{"kty":"OKP","crv":"Ed25519","x":"` + x + `","alg":"EdDSA"}`
	}
	s.serve(200, `{"keys":[{"kty":"EC","x":7},null,`+strings.Join(texts, ",")+`]}`, "public, max-age=120")
}

func (s *keyServer) now() time.Time { return time.Unix(s.seconds.Load(), 0) }

func (s *keyServer) verifier(t *testing.T) *receiver.Verifier {
	t.Helper()
	verifier, err := receiver.NewVerifier(nil, receiver.WithKeySetURL(s.URL), receiver.WithWebhookUID(webhookUID),
		receiver.WithClock(s.now))
	if err != nil {
		t.Fatal(err)
	}
	return verifier
}

// Signs with the key at the time, after other entries.
func entryHeader(key ed25519.PrivateKey, now time.Time, before string) (http.Header, []byte) {
	body, timestamp := bodyOf("evt_1", ""), strconv.FormatInt(now.Unix(), 10)
	signature := ed25519.Sign(key, []byte("evt_1."+timestamp+"."+webhookUID+"."+body))
	header := http.Header{}
	header.Set("webhook-id", "evt_1")
	header.Set("webhook-timestamp", timestamp)
	header.Set("webhook-signature", before+"v1a,"+base64.StdEncoding.EncodeToString(signature))
	return header, []byte(body)
}

func (s *keyServer) expect(t *testing.T, v *receiver.Verifier, key ed25519.PrivateKey, code receiver.Code, requests int64) {
	t.Helper()
	header, body := entryHeader(key, s.now(), "v1,AAAA ")
	got := codeOf(t, v, header, body)
	// The delivery may not have waited for its fetch.
	for deadline := time.Now().Add(10 * time.Second); s.requests.Load() < requests && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if got != code || s.requests.Load() != requests {
		t.Errorf("got %q after %d requests, want %q after %d", got, s.requests.Load(), code, requests)
	}
}

// Returns "" for a valid delivery.
func codeOf(t *testing.T, v *receiver.Verifier, header http.Header, body []byte) receiver.Code {
	t.Helper()
	_, err := v.Verify(header, body)
	var refused *receiver.RefusedError
	if err != nil && !errors.As(err, &refused) {
		t.Fatal(err)
	}
	if refused == nil {
		return ""
	}
	return refused.Code
}

func newKey(t *testing.T) ed25519.PrivateKey {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestConcurrentDeliveriesShareAFetch(t *testing.T) {
	server, key := newKeyServer(t), newKey(t)
	server.serveKeys(key)
	verifier := server.verifier(t)
	var group sync.WaitGroup
	for range 20 {
		group.Add(1)
		go func() {
			defer group.Done()
			header, body := entryHeader(key, server.now(), "")
			if code := codeOf(t, verifier, header, body); code != "" {
				t.Errorf("got %q", code)
			}
		}()
	}
	group.Wait()
	server.expect(t, verifier, key, "", 1)
}

func TestRequestsThatCannotBeDeliveriesCauseNoFetch(t *testing.T) {
	server, key := newKeyServer(t), newKey(t)
	server.serveKeys(key)
	verifier := server.verifier(t)
	header, body := entryHeader(key, server.now(), "")
	header.Set("webhook-signature", "v1,AAAA v1a,AAAA")
	if code := codeOf(t, verifier, header, body); code != receiver.SignatureMismatch {
		t.Errorf("got %q", code)
	}
	header, body = entryHeader(key, server.now().Add(-301*time.Second), "")
	if code := codeOf(t, verifier, header, body); code != receiver.TimestampTooOld {
		t.Errorf("got %q", code)
	}
	if server.requests.Load() != 0 {
		t.Error("the set was fetched")
	}
}

func textOf(key ed25519.PrivateKey) string {
	return "whpk_" + base64.StdEncoding.EncodeToString(key.Public().(ed25519.PublicKey))
}

func TestGivenPublicKeysVerifyAndAtMostTwentyEntriesAreChecked(t *testing.T) {
	key, other := newKey(t), newKey(t)
	verifier, err := receiver.NewVerifier(nil, receiver.WithPublicKeys(textOf(key)), receiver.WithWebhookUID(webhookUID))
	if err != nil {
		t.Fatal(err)
	}
	wrong, _ := entryHeader(other, time.Now(), "")
	entry := wrong.Get("webhook-signature") + " "
	for count, want := range map[int]receiver.Code{0: "", 19: "", 20: receiver.SignatureMismatch} {
		header, body := entryHeader(key, time.Now(), strings.Repeat(entry, count))
		if code := codeOf(t, verifier, header, body); code != want {
			t.Errorf("after %d entries: got %q, want %q", count, code, want)
		}
	}
	header, body := entryHeader(other, time.Now(), "")
	if code := codeOf(t, verifier, header, body); code != receiver.SignatureMismatch {
		t.Errorf("got %q", code)
	}
}

func TestVectorsOfAnotherImplementationVerify(t *testing.T) {
	file, err := cases.Read()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range file.V1a {
		now := func() time.Time { return time.Unix(one.Timestamp, 0) }
		verifier, err := receiver.NewVerifier(nil, receiver.WithPublicKeys(one.PublicKey),
			receiver.WithWebhookUID(one.WebhookUID), receiver.WithClock(now))
		if err != nil {
			t.Fatal(err)
		}
		header := http.Header{}
		header.Set("webhook-id", one.ID)
		header.Set("webhook-timestamp", strconv.FormatInt(one.Timestamp, 10))
		header.Set("webhook-signature", one.Signature)
		for body, want := range map[string]receiver.Code{one.Body: "", one.Body + " ": receiver.SignatureMismatch} {
			if code := codeOf(t, verifier, header, []byte(body)); code != want {
				t.Errorf("got %q, want %q", code, want)
			}
		}
	}
}

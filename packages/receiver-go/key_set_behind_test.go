package receiver_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	receiver "github.com/agent-herald/agent-herald/packages/receiver-go"
)

func TestAFetchNamesThePackage(t *testing.T) {
	server, key := newKeyServer(t), newKey(t)
	server.serveKeys(key)
	server.expect(t, server.verifier(t), key, "", 1)
	if agent := server.userAgents[0]; agent != "agent-herald-receiver-go" {
		t.Errorf("got %q", agent)
	}
}

func TestAFetchContinuesAfterItsRequestIsCancelled(t *testing.T) {
	server, first, second := newKeyServer(t), newKey(t), newKey(t)
	server.serveKeys(first)
	verifier := server.verifier(t)
	server.expect(t, verifier, first, "", 1)
	server.hold()
	server.serveKeys(second)
	server.seconds.Add(120)
	ctx, cancel := context.WithCancel(context.Background())
	events := &calls{}
	response := httptest.NewRecorder()
	receiver.NewHandler(verifier, events.handle).ServeHTTP(response, server.request(first).WithContext(ctx))
	cancel()
	server.release()
	server.expect(t, verifier, second, "", 2)
	if response.Code != http.StatusNoContent {
		t.Errorf("got %d", response.Code)
	}
}

// net/http reads the variables once, so each proxy needs a process of its own.
func TestAKeySetComesThroughTheProxyOfTheEnvironment(t *testing.T) {
	if url := os.Getenv("KEYS_OF_TEST"); url != "" {
		server := &keyServer{Server: &httptest.Server{URL: url}}
		header, body := entryHeader(newKey(t), server.now(), "")
		_, err := server.verifier(t).Verify(header, body)
		t.Log("reason:", err)
		return
	}
	key := newKey(t)
	set := `{"keys":[` + jwkOf(key) + `]}`
	for name, one := range map[string]struct {
		url, target, body string
		status            int
		want              string
	}{
		"http":       {"http://keys.test/a", "GET http://keys.test/a", set, 200, "no signature was made"},
		"a redirect": {"http://keys.test/a", "GET http://keys.test/a", set, 302, "the status 302"},
		"a size":     {"http://keys.test/a", "GET http://keys.test/a", set + strings.Repeat(" ", 65_537), 200, "longer than 65536"},
		"https":      {"https://keys.test/a", "CONNECT //keys.test:443", "", 403, "Forbidden"},
	} {
		t.Run(name, func(t *testing.T) {
			var targets []string
			proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				targets = append(targets, r.Method+" "+r.URL.String())
				w.Header().Set("Location", "http://keys.test/b")
				w.WriteHeader(one.status)
				w.Write([]byte(one.body))
			}))
			defer proxy.Close()
			test := exec.Command(os.Args[0], "-test.run=^TestAKeySetComesThroughTheProxyOfTheEnvironment$", "-test.v")
			test.Env = []string{"KEYS_OF_TEST=" + one.url, "HTTP_PROXY=" + proxy.URL, "HTTPS_PROXY=" + proxy.URL}
			output, err := test.CombinedOutput()
			if err != nil || !strings.Contains(string(output), one.want) {
				t.Errorf("got %v, %s", err, output)
			}
			if got := strings.Join(targets, ", "); got != one.target {
				t.Errorf("the proxy got %q, want %q", got, one.target)
			}
		})
	}
}

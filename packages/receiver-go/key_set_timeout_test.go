package receiver

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A server that sends a little now and then must not hold deliveries for long.
func TestTheWholeFetchHasATimeout(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			w.Write([]byte(" "))
			w.(http.Flusher).Flush()
			time.Sleep(5 * time.Millisecond)
		}
	}))
	defer server.Close()
	set, err := newKeySet(server.URL, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if set.client.Timeout != 5*time.Second {
		t.Errorf("the timeout is %s", set.client.Timeout)
	}
	set.client.Timeout = 50 * time.Millisecond
	begun := time.Now()
	_, _, err = set.current()
	if !hasCode(err, KeysUnavailable) || !strings.Contains(err.Error(), "Client.Timeout") {
		t.Errorf("got %v", err)
	}
	if waited := time.Since(begun); waited > 2*time.Second {
		t.Errorf("waited %s", waited)
	}
}

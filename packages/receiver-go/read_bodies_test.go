package receiver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	receiver "github.com/agent-herald/agent-herald/packages/receiver-go"
)

const alreadyRead = "the body was read or changed before the receiver: put the receiver before body parsers"

// Each of these reads or changes the body of a request before the receiver.
var readers = map[string]func(*http.Request){
	"read to its end": func(r *http.Request) { _, _ = io.ReadAll(r.Body) },
	"read in part":    func(r *http.Request) { _, _ = r.Body.Read(make([]byte, 3)) },
	"closed":          func(r *http.Request) { _ = r.Body.Close() },
	"taken":           func(r *http.Request) { r.Body = nil },
	"parsed": func(r *http.Request) {
		var event any
		_ = json.NewDecoder(r.Body).Decode(&event)
	},
	"written again": func(r *http.Request) {
		read, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(strings.ReplaceAll(string(read), ":", ": ")))
	},
}

// Sends a delivery over a connection to a handler behind one of these readers.
func deliverRead(t *testing.T, read func(*http.Request), handler http.Handler) (int, string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		read(r)
		handler.ServeHTTP(w, r)
	}))
	defer server.Close()
	body := bodyOf("evt_1", "")
	request, err := http.NewRequest(http.MethodPost, server.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = signedRequest("evt_1", body).Header
	response, err := server.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, strings.TrimSpace(string(answer))
}

func expectAlreadyRead(t *testing.T, status int, answer, log string) {
	t.Helper()
	want := `{"code":"body_already_read","detail":"` + alreadyRead + `"}`
	if status != 500 || answer != want {
		t.Errorf("got %d %s", status, answer)
	}
	if !strings.Contains(log, "level=ERROR") || !strings.Contains(log, alreadyRead) {
		t.Errorf("logged %q", log)
	}
}

func TestABodyThatWasReadBeforeIsASetupError(t *testing.T) {
	for name, read := range readers {
		t.Run(name, func(t *testing.T) {
			events, log := &calls{}, &bytes.Buffer{}
			logger := slog.New(slog.NewTextHandler(log, nil))
			handler := receiver.NewHandler(newVerifier(t), events.handle, receiver.WithLogger(logger))
			status, answer := deliverRead(t, read, handler)
			expectAlreadyRead(t, status, answer, log.String())
			events.expect(t, 0)
		})
	}
}

func TestTheMiddlewareReportsABodyThatWasReadBefore(t *testing.T) {
	log, before := &bytes.Buffer{}, slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(log, nil)))
	defer slog.SetDefault(before)
	next := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was let through") })
	status, answer := deliverRead(t, readers["read to its end"], newVerifier(t).Middleware(next))
	expectAlreadyRead(t, status, answer, log.String())
}

func TestABodyThatWasReadAndPutBackIsHandled(t *testing.T) {
	events := &calls{}
	handler := receiver.NewHandler(newVerifier(t), events.handle, quiet)
	read := func(r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	if status, answer := deliverRead(t, read, handler); status != 204 {
		t.Errorf("got %d %s", status, answer)
	}
	events.expect(t, 1)
}

func TestAMissingBodyIsAWrongSignature(t *testing.T) {
	log := &bytes.Buffer{}
	logger := receiver.WithLogger(slog.New(slog.NewTextHandler(log, nil)))
	handle := func(context.Context, *receiver.Delivery) error { return nil }
	handler := receiver.NewHandler(newVerifier(t), handle, logger)
	for _, body := range []io.ReadCloser{nil, http.NoBody} {
		request := httptest.NewRequest(http.MethodPost, "/", nil)
		request.Body = body
		request.Header = signedRequest("evt_1", bodyOf("evt_1", "")).Header
		expectAnswer(t, handler, request, 401, "signature_mismatch")
		if !strings.Contains(log.String(), "the body is empty") {
			t.Errorf("logged %q", log)
		}
	}
}

package receiver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

type handlingCase struct {
	Name  string
	Steps []step
}

// A step has either WaitSeconds, Deliver or End.
type step struct {
	WaitSeconds int64
	Deliver     string
	EventID     string
	UID         string
	Sequence    int64
	Header      int64
	End         string
	Fails       bool
	Status      int
}

// An attempt whose handler has started.
type attempt struct {
	ends   chan error
	result chan error
}

type player struct {
	handler *Handler
	now     time.Time
	begun   chan attempt
	running map[string]attempt
}

func newPlayer() *player {
	p := &player{now: time.Unix(0, 0), begun: make(chan attempt), running: map[string]attempt{}}
	store := NewMemoryDeliveryStore(0)
	store.now = func() time.Time { return p.now }
	p.handler = NewHandler(&Verifier{}, func(context.Context, *Delivery) error {
		one := attempt{ends: make(chan error)}
		p.begun <- one
		return <-one.ends
	}, WithStore(store), WithSequences(NewMemorySequenceStore(0)),
		WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil))))
	return p
}

func statusOf(err error) int {
	switch {
	case err == nil:
		return 204
	case errors.Is(err, errInProgress):
		return 409
	}
	return 500
}

// Returns the delivery of a step, with X-Webhook-Sequence.
func (s step) delivery() (*Delivery, error) {
	uid, fields, header := s.UID, "", http.Header{}
	if uid == "" {
		uid = "agt_1"
	}
	if s.Sequence != 0 {
		fields = fmt.Sprintf(`,"sequence":%d`, s.Sequence)
	}
	if number := max(s.Sequence, s.Header); number != 0 {
		header.Set("X-Webhook-Sequence", strconv.FormatInt(number, 10))
	}
	const before = `{"event":"agent.updated","timestamp":"2026-11-21T12:00:00.000Z","appUid":"app_1","version":1,`
	body := before + fmt.Sprintf(`"eventId":%q,"data":{"uid":%q,"externalTenantId":"t"}%s}`, s.EventID, uid, fields)
	return readDelivery(header, []byte(body))
}

// Returns the status, or 0 if the handler has started.
func (p *player) deliver(t *testing.T, s step) int {
	t.Helper()
	delivery, err := s.delivery()
	if err != nil {
		t.Fatal(err)
	}
	result := make(chan error, 1)
	go func() { result <- p.handler.handle(context.Background(), delivery) }()
	select {
	case err := <-result:
		return statusOf(err)
	case one := <-p.begun:
		one.result = result
		p.running[s.Deliver] = one
		return 0
	}
}

func (p *player) end(s step) int {
	one := p.running[s.End]
	if s.Fails {
		one.ends <- errors.New("not now")
	} else {
		one.ends <- nil
	}
	return statusOf(<-one.result)
}

type handlingFile struct {
	Cases      []handlingCase
	Challenges []struct {
		Name      string
		Body      string
		Challenge *string
	}
}

func readHandlingFile(t *testing.T) (file handlingFile) {
	t.Helper()
	text, err := os.ReadFile("internal/cases/testdata/handling.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestOnlyAChallengeIsAnsweredUnverified(t *testing.T) {
	verifier := &Verifier{bodyBytesMax: defaultBodyBytesMax}
	discarded := WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))
	refuseEvents := func(context.Context, *Delivery) error { return errors.New("not signed") }
	handlers := map[string]http.Handler{
		"handler":    NewHandler(verifier, refuseEvents, discarded),
		"middleware": verifier.Middleware(http.NotFoundHandler()),
	}
	for _, one := range readHandlingFile(t).Challenges {
		for name, handler := range handlers {
			status, body := http.StatusUnauthorized, `{"code":"missing_header"}`
			if one.Challenge != nil {
				status, body = http.StatusOK, fmt.Sprintf(`{"challenge":%q}`, *one.Challenge)
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(one.Body)))
			got := strings.TrimSpace(w.Body.String())
			if w.Code != status || got != body || w.Header().Get("Content-Type") != "application/json" {
				t.Errorf("%s, %s: got %d %s", name, one.Name, w.Code, got)
			}
		}
	}
}

func TestAttemptsAreHandledAsTheSharedCasesExpect(t *testing.T) {
	for _, one := range readHandlingFile(t).Cases {
		t.Run(one.Name, func(t *testing.T) {
			p := newPlayer()
			for _, s := range one.Steps {
				got := 0
				switch {
				case s.Deliver != "":
					got = p.deliver(t, s)
				case s.End != "":
					got = p.end(s)
				default:
					p.now = p.now.Add(time.Duration(s.WaitSeconds) * time.Second)
				}
				if got != s.Status {
					t.Fatalf("%+v: got %d", s, got)
				}
			}
		})
	}
}

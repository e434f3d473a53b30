package receiver_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	receiver "github.com/agent-herald/agent-herald/packages/receiver-go"
)

type calls struct {
	deliveries []*receiver.Delivery
	err        error
}

func (c *calls) handle(_ context.Context, delivery *receiver.Delivery) error {
	c.deliveries = append(c.deliveries, delivery)
	return c.err
}

func (c *calls) expect(t *testing.T, count int) {
	t.Helper()
	if len(c.deliveries) != count {
		t.Errorf("got %d calls, want %d", len(c.deliveries), count)
	}
}

var quiet = receiver.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))

func deliver(t *testing.T, handler http.Handler, eventID string, status int, code string) {
	t.Helper()
	expectAnswer(t, handler, signedRequest(eventID, bodyOf(eventID, "")), status, code)
}

func TestAnEventIsHandledOnce(t *testing.T) {
	events := &calls{}
	handler := receiver.NewHandler(newVerifier(t), events.handle, quiet)
	deliver(t, handler, "evt_1", 204, "")
	deliver(t, handler, "evt_1", 204, "")
	deliver(t, handler, "evt_2", 204, "")
	events.expect(t, 2)
	if got := events.deliveries[0].Resource(); got != "agent/agt_1" {
		t.Errorf("got %s", got)
	}
}

func TestAnEventWhoseHandlingFailedIsHandledAgain(t *testing.T) {
	events := &calls{err: errors.New("no database")}
	log := &bytes.Buffer{}
	logger := receiver.WithLogger(slog.New(slog.NewTextHandler(log, nil)))
	handler := receiver.NewHandler(newVerifier(t), events.handle, logger)
	deliver(t, handler, "evt_1", 500, "handler_failed")
	if !strings.Contains(log.String(), "no database") || !strings.Contains(log.String(), "evt_1") {
		t.Errorf("logged %q", log)
	}
	// A refusal from another service is not a refusal of this request.
	events.err = &receiver.RefusedError{Code: receiver.MissingHeader}
	deliver(t, handler, "evt_1", 500, "handler_failed")
	events.err = nil
	deliver(t, handler, "evt_1", 204, "")
	events.expect(t, 3)
}

func TestAPanicReleasesTheEvent(t *testing.T) {
	events := &calls{}
	isBroken := true
	handler := receiver.NewHandler(newVerifier(t), func(ctx context.Context, d *receiver.Delivery) error {
		if isBroken {
			panic("broken")
		}
		return events.handle(ctx, d)
	}, quiet)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		deliver(t, handler, "evt_1", 500, "")
	}()
	isBroken = false
	deliver(t, handler, "evt_1", 204, "")
	events.expect(t, 1)
}

type keyOfTest struct{}

func TestAHandlerFinishesAfterTheServiceHasClosedTheConnection(t *testing.T) {
	for _, fields := range []string{"", `,"test":true`} {
		ctx, hangUp := context.WithCancel(context.WithValue(context.Background(), keyOfTest{}, "kept"))
		calls := 0
		handle := func(ctx context.Context, _ *receiver.Delivery) error {
			calls++
			hangUp()
			if ctx.Value(keyOfTest{}) != "kept" {
				t.Error("the values of the request are lost")
			}
			return ctx.Err()
		}
		handler := receiver.NewHandler(newVerifier(t), handle, receiver.WithTests(handle), quiet)
		request := signedRequest("evt_1", bodyOf("evt_1", fields)).WithContext(ctx)
		expectAnswer(t, handler, request, 204, "")
		if calls != 1 {
			t.Errorf("got %d calls, want 1", calls)
		}
	}
}

func TestTestEventsAreAcknowledgedAndHandledOnRequest(t *testing.T) {
	events, tests := &calls{}, &calls{}
	body := bodyOf("evt_1", `,"test":true`)
	handler := receiver.NewHandler(newVerifier(t), events.handle, quiet)
	expectAnswer(t, handler, signedRequest("evt_1", body), 204, "")
	asking := receiver.NewHandler(newVerifier(t), events.handle, receiver.WithTests(tests.handle), quiet)
	expectAnswer(t, asking, signedRequest("evt_1", body), 204, "")
	expectAnswer(t, asking, signedRequest("evt_1", body), 204, "")
	events.expect(t, 0)
	tests.expect(t, 2)
}

func TestWithSequencesAnOlderChangeIsAcknowledgedAndNotHandled(t *testing.T) {
	events := &calls{}
	sequences := receiver.WithSequences(receiver.NewMemorySequenceStore(0))
	handler := receiver.NewHandler(newVerifier(t), events.handle, sequences, quiet)
	send := func(eventID, fields string) {
		expectAnswer(t, handler, signedRequest(eventID, bodyOf(eventID, fields)), 204, "")
	}
	send("evt_2", `,"sequence":2`)
	send("evt_1", `,"sequence":1`)
	send("evt_0", "")
	send("evt_3", `,"sequence":3`)
	events.expect(t, 3)
}

var errNoStore = errors.New("no store")

// A store in which one method fails once, after it has done its work.
type brokenStore struct {
	*receiver.MemoryDeliveryStore
	method string
}

func (b *brokenStore) fail(method string, err error) error {
	if b.method == method {
		b.method = ""
		return errors.Join(err, errNoStore)
	}
	return err
}

func (b *brokenStore) Claim(ctx context.Context, eventID, token string) (receiver.Claim, error) {
	claim, err := b.MemoryDeliveryStore.Claim(ctx, eventID, token)
	return claim, b.fail("claim", err)
}

func (b *brokenStore) Complete(ctx context.Context, eventID, token string) error {
	if b.method == "complete" {
		return b.fail("complete", nil)
	}
	return b.MemoryDeliveryStore.Complete(ctx, eventID, token)
}

type brokenSequences struct {
	*receiver.MemorySequenceStore
	*brokenStore
}

func (b brokenSequences) Newest(ctx context.Context, resource string) (int64, error) {
	newest, err := b.MemorySequenceStore.Newest(ctx, resource)
	return newest, b.fail("newest", err)
}

func (b brokenSequences) Advance(ctx context.Context, resource string, sequence int64) error {
	return b.fail("advance", b.MemorySequenceStore.Advance(ctx, resource, sequence))
}

func TestAfterAStoreFailureTheNextAttemptIsHandled(t *testing.T) {
	for _, method := range []string{"claim", "complete", "newest", "advance"} {
		t.Run(method, func(t *testing.T) {
			events := &calls{}
			store := &brokenStore{receiver.NewMemoryDeliveryStore(0), method}
			sequences := brokenSequences{receiver.NewMemorySequenceStore(0), store}
			handler := receiver.NewHandler(newVerifier(t), events.handle,
				receiver.WithStore(store), receiver.WithSequences(sequences), quiet)
			send := func(status int, code string) {
				t.Helper()
				request := signedRequest("evt_1", bodyOf("evt_1", `,"sequence":1`))
				expectAnswer(t, handler, request, status, code)
			}
			send(500, "handler_failed")
			events.deliveries = nil
			send(204, "")
			events.expect(t, 1)
		})
	}
}

type oddStore struct {
	*receiver.MemoryDeliveryStore
	claim receiver.Claim
}

func (s oddStore) Claim(context.Context, string, string) (receiver.Claim, error) { return s.claim, nil }

func TestAStoreWithAnotherClaimIsAFailureAndLosesNoEvent(t *testing.T) {
	for _, claim := range []receiver.Claim{"", "OK"} {
		events := &calls{}
		store := receiver.WithStore(oddStore{receiver.NewMemoryDeliveryStore(0), claim})
		deliver(t, receiver.NewHandler(newVerifier(t), events.handle, store, quiet), "evt_1", 500, "handler_failed")
		events.expect(t, 0)
	}
}

func TestInvalidRequestsAreRefusedWithTheirCode(t *testing.T) {
	events := &calls{}
	handler := receiver.NewHandler(newVerifier(t, receiver.WithBodyBytesMax(1_000)), events.handle, quiet)
	unsigned := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("{}"))
	expectAnswer(t, handler, unsigned, 401, "missing_header")
	expectAnswer(t, handler, signedRequest("evt_1", "{}"), 400, "invalid_body")
	expectAnswer(t, handler, signedRequest("evt_1", bodyOf("evt_2", "")), 400, "event_id_mismatch")
	get := httptest.NewRequest(http.MethodGet, "/", nil)
	if allow := expectAnswer(t, handler, get, 405, "method_not_allowed").Get("Allow"); allow != "POST" {
		t.Errorf("Allow is %q", allow)
	}
	padding := 1_000 - len(bodyOf("evt_1", `,"more":""`))
	fits := bodyOf("evt_1", `,"more":"`+strings.Repeat("x", padding)+`"`)
	expectAnswer(t, handler, signedRequest("evt_1", fits), 204, "")
	expectAnswer(t, handler, signedRequest("evt_1", fits+" "), 413, "body_too_large")
	events.expect(t, 1)
}

func TestTheMiddlewarePassesOnlyDeliveries(t *testing.T) {
	body := bodyOf("evt_1", "")
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		read, err := io.ReadAll(r.Body)
		if err != nil || string(read) != body {
			t.Errorf("got the body %q, %v", read, err)
		}
		if delivery := receiver.DeliveryOf(r); delivery == nil || delivery.EventID != "evt_1" {
			t.Errorf("got %v", delivery)
		}
		w.WriteHeader(http.StatusNoContent)
	})
	verified := newVerifier(t).Middleware(next)
	expectAnswer(t, verified, signedRequest("evt_1", body), 204, "")
	tampered := signedRequest("evt_1", body)
	tampered.Header.Set("webhook-id", "evt_2")
	expectAnswer(t, verified, tampered, 401, "signature_mismatch")
	if receiver.DeliveryOf(tampered) != nil {
		t.Error("a request that was not verified has a delivery")
	}
}

func TestHeaderNamesMatchInAnyCase(t *testing.T) {
	request := signedRequest("evt_1", bodyOf("evt_1", ""))
	lower := http.Header{}
	for name, values := range request.Header {
		lower[strings.ToLower(name)] = values
	}
	if _, err := newVerifier(t).Verify(lower, []byte(bodyOf("evt_1", ""))); err != nil {
		t.Error(err)
	}
}

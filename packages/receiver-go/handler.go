package receiver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
)

// Handle handles an event. If it returns an error, the service sends the event again. The context carries the values of
// the request's context, but is not cancelled when the service closes the connection after 5 seconds. A longer run
// still counts: a later attempt does not handle the event again.
type Handle func(ctx context.Context, delivery *Delivery) error

// Handler handles the requests to a webhook. It is safe for concurrent use.
type Handler struct {
	verifier  *Verifier
	onEvent   Handle
	onTest    Handle
	store     DeliveryStore
	sequences SequenceStore
	logger    *slog.Logger
}

// HandlerOption configures a Handler.
type HandlerOption func(*Handler)

// WithStore sets the store of handled events. Use a shared store if you run several processes.
func WithStore(store DeliveryStore) HandlerOption {
	return func(h *Handler) { h.store = store }
}

// WithSequences skips changes that are older than the latest handled change of the same resource.
func WithSequences(sequences SequenceStore) HandlerOption {
	return func(h *Handler) { h.sequences = sequences }
}

// WithTests sets a function for test events. By default, they are acknowledged and ignored.
func WithTests(onTest Handle) HandlerOption {
	return func(h *Handler) { h.onTest = onTest }
}

// WithLogger replaces slog.Default(), which logs refused requests (info) and errors (error).
func WithLogger(logger *slog.Logger) HandlerOption {
	return func(h *Handler) { h.logger = logger }
}

// NewHandler returns a handler for net/http that calls onEvent once for each event. It panics if a required argument is
// nil.
func NewHandler(verifier *Verifier, onEvent Handle, options ...HandlerOption) *Handler {
	h := &Handler{
		verifier: verifier,
		onEvent:  onEvent,
		onTest:   func(context.Context, *Delivery) error { return nil },
		store:    NewMemoryDeliveryStore(0),
		logger:   slog.Default(),
	}
	for _, option := range options {
		option(h)
	}
	h.checkOptions()
	return h
}

func (h *Handler) checkOptions() {
	switch {
	case h.verifier == nil:
		panic("receiver: verifier must not be nil")
	case h.onEvent == nil:
		panic("receiver: onEvent must be a function")
	case h.onTest == nil:
		panic("receiver: onTest must be a function")
	case h.store == nil:
		panic("receiver: store must not be nil")
	case h.logger == nil:
		panic("receiver: logger must not be nil")
	}
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	delivery, err := h.verifier.receive(w, r)
	if errors.Is(err, errAnswered) {
		return
	}
	if err != nil {
		logRefusal(r.Context(), h.logger, err)
		answerUnread(w, err)
		return
	}
	switch err := h.handle(context.WithoutCancel(r.Context()), delivery); {
	case err == nil:
		w.WriteHeader(http.StatusNoContent)
	case errors.Is(err, errInProgress):
		writeAnswer(w, http.StatusConflict, "in_progress")
	default:
		h.logger.ErrorContext(r.Context(), "could not handle an event",
			"eventId", delivery.EventID, "event", delivery.Event, "error", err)
		writeAnswer(w, http.StatusInternalServerError, "handler_failed")
	}
}

func (h *Handler) handle(ctx context.Context, delivery *Delivery) (err error) {
	if delivery.Test {
		return h.onTest(ctx, delivery)
	}
	token, isOver := newToken(), false
	// Even if onEvent panics or the claim failed: the store may have saved the claim before its response was lost.
	defer func() {
		if !isOver {
			err = errors.Join(err, h.store.Release(ctx, delivery.EventID, token))
		}
	}()
	claim, err := h.store.Claim(ctx, delivery.EventID, token)
	switch {
	case err != nil, claim == ClaimDone, claim == ClaimBusy:
	case claim == ClaimNew:
		err = h.handleClaimed(ctx, delivery, token)
	default:
		// A 204 would lose the event.
		err = fmt.Errorf("a store must not claim %q", claim)
	}
	isOver = err == nil
	if isOver && claim == ClaimBusy {
		return errInProgress
	}
	return err
}

func (h *Handler) handleClaimed(ctx context.Context, delivery *Delivery, token string) error {
	isOlder, err := h.isOlder(ctx, delivery)
	if err != nil {
		return err
	}
	if !isOlder {
		if err := h.onEvent(ctx, delivery); err != nil {
			return err
		}
		// After onEvent, so that a failed change does not cause older ones to be skipped.
		if err := h.advance(ctx, delivery); err != nil {
			return err
		}
	}
	return h.store.Complete(ctx, delivery.EventID, token)
}

func (h *Handler) isOlder(ctx context.Context, delivery *Delivery) (bool, error) {
	if h.sequences == nil || delivery.Sequence == 0 {
		return false, nil
	}
	newest, err := h.sequences.Newest(ctx, delivery.Resource())
	return delivery.Sequence < newest, err
}

func (h *Handler) advance(ctx context.Context, delivery *Delivery) error {
	if h.sequences == nil || delivery.Sequence == 0 {
		return nil
	}
	return h.sequences.Advance(ctx, delivery.Resource(), delivery.Sequence)
}

func newToken() string {
	return fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64())
}

var (
	errInProgress = errors.New("another attempt at the event is being handled")
	errNoPost     = errors.New("the method is not POST")
	errAnswered   = errors.New("the challenge was answered")
)

// Reads and verifies a request, or answers a challenge and returns errAnswered.
func (v *Verifier) receive(w http.ResponseWriter, r *http.Request) (*Delivery, error) {
	if r.Method != http.MethodPost {
		return nil, errNoPost
	}
	unread := r.Body
	if unread == nil {
		unread = http.NoBody
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, unread, v.bodyBytesMax))
	if errors.Is(err, http.ErrBodyReadAfterClose) {
		return nil, refuse(BodyAlreadyRead, bodyAlreadyRead)
	}
	if err != nil {
		return nil, err
	}
	if challenge := challengeIn(body); challenge != "" {
		writeJSON(w, http.StatusOK, map[string]string{"challenge": challenge})
		return nil, errAnswered
	}
	return v.verify(r.Header, body, r.ContentLength)
}

// What only the receiver's side can mend is logged as an error, so that it is noticed.
func logRefusal(ctx context.Context, logger *slog.Logger, err error) {
	level := slog.LevelInfo
	if isOwnFault(err) {
		level = slog.LevelError
	}
	logger.Log(ctx, level, "refused a request", "error", err)
}

func isOwnFault(err error) bool {
	return hasCode(err, BodyAlreadyRead) || hasCode(err, KeysUnavailable)
}

func hasCode(err error, code Code) bool {
	var refused *RefusedError
	return errors.As(err, &refused) && refused.Code == code
}

// Responds to a request that is not a delivery or could not be read.
func answerUnread(w http.ResponseWriter, err error) {
	var refused *RefusedError
	var tooLarge *http.MaxBytesError
	switch {
	case hasCode(err, BodyAlreadyRead):
		// The service shows this text with the attempt.
		writeJSON(w, http.StatusInternalServerError, answer{Code: string(BodyAlreadyRead), Detail: bodyAlreadyRead})
	case errors.As(err, &refused):
		writeAnswer(w, refused.Status(), string(refused.Code))
	case errors.As(err, &tooLarge):
		writeAnswer(w, http.StatusRequestEntityTooLarge, "body_too_large")
	case errors.Is(err, errNoPost):
		w.Header().Set("Allow", http.MethodPost)
		writeAnswer(w, http.StatusMethodNotAllowed, "method_not_allowed")
	default:
		writeAnswer(w, http.StatusInternalServerError, "handler_failed")
	}
}

type answer struct {
	Code   string `json:"code"`
	Detail string `json:"detail,omitempty"`
}

func writeAnswer(w http.ResponseWriter, status int, code string) {
	writeJSON(w, status, answer{Code: code})
}

func writeJSON(w http.ResponseWriter, status int, content any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// On an error the service has closed the connection, and nobody reads the response.
	_ = json.NewEncoder(w).Encode(content)
}

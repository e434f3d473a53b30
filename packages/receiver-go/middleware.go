package receiver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
)

type deliveryKey struct{}

// Middleware passes only verified deliveries on, with a body that can be read again. It does not remember events: next
// also gets repeated attempts and tests, and must respond to them. It answers challenges itself. If the body was read
// before, or there are no public keys, it logs an error to slog.Default().
func (v *Verifier) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		delivery, err := v.receive(w, r)
		if errors.Is(err, errAnswered) {
			return
		}
		if err != nil {
			if isOwnFault(err) {
				logRefusal(r.Context(), slog.Default(), err)
			}
			answerUnread(w, err)
			return
		}
		verified := r.WithContext(context.WithValue(r.Context(), deliveryKey{}, delivery))
		verified.Body = io.NopCloser(bytes.NewReader(delivery.Body))
		next.ServeHTTP(w, verified)
	})
}

// DeliveryOf returns the delivery of a request that passed a Middleware, or nil.
func DeliveryOf(r *http.Request) *Delivery {
	delivery, _ := r.Context().Value(deliveryKey{}).(*Delivery)
	return delivery
}

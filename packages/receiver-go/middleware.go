package receiver

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
)

type deliveryKey struct{}

// Middleware lets only verified deliveries through, with their body to read again. It remembers no event: next gets
// repeated attempts and tests, too, and answers them. A body that was read before it is logged by slog.Default().
func (v *Verifier) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		delivery, err := v.receive(w, r)
		if err != nil {
			if isAlreadyRead(err) {
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

// DeliveryOf returns the delivery of a request that came through a Middleware, else nil.
func DeliveryOf(r *http.Request) *Delivery {
	delivery, _ := r.Context().Value(deliveryKey{}).(*Delivery)
	return delivery
}

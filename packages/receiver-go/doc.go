// Package receiver receives webhooks from agent-herald: verified against their raw bytes, typed, and each event handled
// once.
//
// [NewVerifier] makes a verifier of deliveries. [NewHandler] verifies requests, calls your function and responds.
// [Verifier.Middleware] only verifies, and leaves the response to you.
package receiver

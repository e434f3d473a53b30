// Package receiver receives the webhooks of agent-herald: verified over their raw bytes, typed, each event once.
//
// [NewVerifier] tells deliveries from everything else. [NewHandler] answers requests with it and calls your function;
// [Verifier.Middleware] only verifies, and leaves the answer to you.
package receiver

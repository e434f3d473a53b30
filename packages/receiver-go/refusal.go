package receiver

import "net/http"

// Code is the reason why a request was refused. The codes are the same for the receivers of all languages.
type Code string

// The codes, in the order of the checks.
const (
	MissingHeader    Code = "missing_header"
	InvalidTimestamp Code = "invalid_timestamp"
	TimestampTooOld  Code = "timestamp_too_old"
	TimestampTooNew  Code = "timestamp_too_new"
	// KeysUnavailable means that the public keys could not be fetched.
	KeysUnavailable   Code = "keys_unavailable"
	SignatureMismatch Code = "signature_mismatch"
	// BodyAlreadyRead means that the receiver itself is set up wrongly.
	BodyAlreadyRead Code = "body_already_read"
	InvalidBody     Code = "invalid_body"
	EventIDMismatch Code = "event_id_mismatch"
)

// RefusedError is the error for a request that is not a valid delivery.
type RefusedError struct {
	Code   Code
	Detail string
}

func (e *RefusedError) Error() string {
	return string(e.Code) + ": " + e.Detail
}

// Explains how to fix a body that differs from the bytes that arrived.
const bodyAlreadyRead = "the body was read or changed before the receiver: put the receiver before body parsers"

// Status returns the HTTP status to respond with: 500 for a body that was read before, 503 without public keys, 400
// for a signed body that cannot be parsed, or else 401.
func (e *RefusedError) Status() int {
	if e.Code == BodyAlreadyRead {
		return http.StatusInternalServerError
	}
	if e.Code == KeysUnavailable {
		return http.StatusServiceUnavailable
	}
	if e.Code == InvalidBody || e.Code == EventIDMismatch {
		return http.StatusBadRequest
	}
	return http.StatusUnauthorized
}

func refuse(code Code, detail string) error {
	return &RefusedError{Code: code, Detail: detail}
}

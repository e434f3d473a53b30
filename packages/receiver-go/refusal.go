package receiver

import "net/http"

// Code says why a request is not a delivery. It is the same for the receivers of all languages.
type Code string

// The codes, in the order in which they are checked.
const (
	MissingHeader     Code = "missing_header"
	InvalidTimestamp  Code = "invalid_timestamp"
	TimestampTooOld   Code = "timestamp_too_old"
	TimestampTooNew   Code = "timestamp_too_new"
	SignatureMismatch Code = "signature_mismatch"
	// BodyAlreadyRead is a fault of the receiver's own setup.
	BodyAlreadyRead Code = "body_already_read"
	InvalidBody     Code = "invalid_body"
	EventIDMismatch Code = "event_id_mismatch"
)

// RefusedError is a request that is not a genuine delivery.
type RefusedError struct {
	Code   Code
	Detail string
}

func (e *RefusedError) Error() string {
	return string(e.Code) + ": " + e.Detail
}

// What is to be done about a body that is not what arrived.
const bodyAlreadyRead = "the body was read or changed before the receiver: put the receiver before body parsers"

// Status returns what to answer: 400 to what is signed and cannot be read, 500 to what was read before, else 401.
func (e *RefusedError) Status() int {
	if e.Code == BodyAlreadyRead {
		return http.StatusInternalServerError
	}
	if e.Code == InvalidBody || e.Code == EventIDMismatch {
		return http.StatusBadRequest
	}
	return http.StatusUnauthorized
}

func refuse(code Code, detail string) error {
	return &RefusedError{Code: code, Detail: detail}
}

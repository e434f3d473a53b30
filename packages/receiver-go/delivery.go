package receiver

import (
	"encoding/json"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Delivery is a verified request from the service. Only Attempt and AttemptsLeft are not signed.
type Delivery struct {
	// EventID is the same in every attempt.
	EventID string
	// Event is the name of the event, such as agent.updated.
	Event string
	// Timestamp is the time of the change, in RFC 3339.
	Timestamp string
	AppUID    string
	// Version is the version of the payload. The types of Data describe version 1.
	Version int64
	// Attempt counts from 1. It is 0 if the header is absent or invalid.
	Attempt int64
	// AttemptsLeft is the number of attempts that follow if this one fails: 0 on the last. It is -1 if the header is
	// absent or invalid.
	AttemptsLeft int64
	// Sequence is the number of the change among those of the resource, from 1. It is 0 if the event has none.
	Sequence int64
	// Test is true for a test event. Data is then a sample.
	Test bool
	// Data is one of the types of this package, for use in a type switch. It is *UnknownData for any other event.
	Data EventData
	// RawData is the raw data, including fields that this package does not know.
	RawData json.RawMessage
	// Body is the raw body of the request.
	Body []byte

	uid string
}

// ChangedAt parses Timestamp.
func (d *Delivery) ChangedAt() (time.Time, error) {
	return time.Parse(time.RFC3339, d.Timestamp)
}

// Resource returns the kind and uid of the resource, such as agent/agt_….
func (d *Delivery) Resource() string {
	kind, _, _ := strings.Cut(d.Event, ".")
	return kind + "/" + d.uid
}

// Parses a request whose signature was verified.
func readDelivery(header http.Header, body []byte) (*Delivery, error) {
	fields, ok := readObject(body)
	if !ok || !utf8.Valid(body) {
		return nil, refuse(InvalidBody, "the body is not a JSON object in UTF-8")
	}
	d := &Delivery{
		Attempt:      max(0, readCount(valueOf(header, "x-webhook-attempt"))),
		AttemptsLeft: readCount(valueOf(header, "x-webhook-attempts-left")),
		Sequence:     readWhole(fields["sequence"], sequenceMax),
		Test:         string(fields["test"]) == "true",
		RawData:      fields["data"],
		Body:         body,
	}
	texts := []struct {
		name string
		text *string
	}{{"eventId", &d.EventID}, {"event", &d.Event}, {"timestamp", &d.Timestamp}, {"appUid", &d.AppUID}}
	for _, field := range texts {
		if *field.text = readText(fields[field.name]); *field.text == "" {
			return nil, refuse(InvalidBody, field.name+" is not a text")
		}
	}
	if d.Version = readWhole(fields["version"], wholeMax); d.Version == 0 {
		return nil, refuse(InvalidBody, "version is not a whole number from 1 on")
	}
	data, ok := readObject(d.RawData)
	if d.uid = readText(data["uid"]); !ok || d.uid == "" {
		return nil, refuse(InvalidBody, "data is not an object with a uid")
	}
	d.Data = readData(d, data)
	return d, nil
}

// Returns the fields of an object. Unmarshalling into a struct would match names case-insensitively.
func readObject(raw []byte) (map[string]json.RawMessage, bool) {
	var fields map[string]json.RawMessage
	err := json.Unmarshal(raw, &fields)
	return fields, err == nil && fields != nil
}

// Returns "" for anything but a string. Unmarshalling into a string would accept null.
func readText(raw json.RawMessage) string {
	var text *string
	if err := json.Unmarshal(raw, &text); err != nil || text == nil {
		return ""
	}
	return *text
}

const sequenceMax = 999_999_999_999_999

// Larger numbers might not be whole ones any more.
const wholeMax = 1 << 53

// Returns 0 for anything but a whole number from 1 to the maximum.
func readWhole(raw json.RawMessage, most float64) int64 {
	var number *float64
	if err := json.Unmarshal(raw, &number); err != nil || number == nil {
		return 0
	}
	if *number < 1 || *number != math.Trunc(*number) || *number > most {
		return 0
	}
	return int64(*number)
}

var count = regexp.MustCompile(`^(0|[1-9][0-9]{0,14})$`)

// Returns -1 for anything but a whole number from 0.
func readCount(text string) int64 {
	if !count.MatchString(text) {
		return -1
	}
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return -1
	}
	return number
}

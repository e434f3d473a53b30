package receiver

import (
	"encoding/json"
	"regexp"
	"unicode/utf8"
)

var challengeShape = regexp.MustCompile(`^[A-Za-z0-9_-]{32}$`)

// A stranger could make the parser work on longer ones.
const challengeBytesMax = 1024

// Returns the value of the challenge that the service sends before a webhook becomes active, or "" for any other body. It
// is answered unverified, because the receiver may not have the secret yet: the answer only agrees to requests, and
// contains nothing but the random value.
func challengeIn(body []byte) string {
	if len(body) > challengeBytesMax || !utf8.Valid(body) {
		return ""
	}
	// Unmarshalling a struct would match names case-insensitively.
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil || readText(fields["event"]) != "webhook.challenge" {
		return ""
	}
	challenge := readText(fields["challenge"])
	if !challengeShape.MatchString(challenge) {
		return ""
	}
	return challenge
}

package cases

import (
	"errors"

	receiver "github.com/agent-herald/agent-herald/packages/receiver-go"
)

// Judge returns the result of this package for a case, in the form of its Expect.
func Judge(c Case) (map[string]any, error) {
	verifier, err := c.Verifier()
	if err != nil {
		return nil, err
	}
	body, err := c.Body()
	if err != nil {
		return nil, err
	}
	delivery, err := verifier.Verify(c.Header(), body)
	var refused *receiver.RefusedError
	if errors.As(err, &refused) {
		return map[string]any{"ok": false, "code": string(refused.Code)}, nil
	}
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"ok":           true,
		"eventId":      delivery.EventID,
		"event":        delivery.Event,
		"attempt":      countOrNil(delivery.Attempt, 1),
		"attemptsLeft": countOrNil(delivery.AttemptsLeft, 0),
		"sequence":     countOrNil(delivery.Sequence, 1),
		"test":         delivery.Test,
	}, nil
}

func countOrNil(count, least int64) any {
	if count < least {
		return nil
	}
	return count
}

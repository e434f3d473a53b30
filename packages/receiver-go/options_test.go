package receiver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	receiver "github.com/agent-herald/agent-herald/packages/receiver-go"
	"github.com/agent-herald/agent-herald/packages/receiver-go/internal/cases"
)

type options struct {
	Secrets          []string
	Scheme           *receiver.Scheme
	ToleranceSeconds *float64
	BodyBytesMax     *int64
	CountMax         *int
	PublicKeys       *[]string
	KeySetURL        *string
	WebhookUID       *string
}

// Makes a verifier and the stores that take a count. Returns the reason why they are refused.
func refusalOf(o options) (err error) {
	defer func() {
		if said := recover(); said != nil {
			err = fmt.Errorf("%v", said)
		}
	}()
	var chosen []receiver.VerifierOption
	if o.Scheme != nil {
		chosen = append(chosen, receiver.WithScheme(*o.Scheme))
	}
	if o.ToleranceSeconds != nil {
		tolerance := time.Duration(*o.ToleranceSeconds * float64(time.Second))
		chosen = append(chosen, receiver.WithTolerance(tolerance))
	}
	if o.BodyBytesMax != nil {
		chosen = append(chosen, receiver.WithBodyBytesMax(*o.BodyBytesMax))
	}
	if o.CountMax != nil {
		receiver.NewMemoryDeliveryStore(*o.CountMax)
		receiver.NewMemorySequenceStore(*o.CountMax)
	}
	if o.PublicKeys != nil {
		chosen = append(chosen, receiver.WithPublicKeys(*o.PublicKeys...))
	}
	if o.KeySetURL != nil {
		chosen = append(chosen, receiver.WithKeySetURL(*o.KeySetURL))
	}
	if o.WebhookUID != nil {
		chosen = append(chosen, receiver.WithWebhookUID(*o.WebhookUID))
	}
	_, err = receiver.NewVerifier(o.Secrets, chosen...)
	return err
}

func TestOptionsAreRefusedAsTheSharedCasesExpect(t *testing.T) {
	file, err := cases.ReadOptions()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range file.Cases {
		if one.Untyped {
			continue
		}
		t.Run(one.Name, func(t *testing.T) {
			text, err := json.Marshal(one.Options)
			if err != nil {
				t.Fatal(err)
			}
			given := options{Secrets: []string{secret}}
			if one.Options["publicKeys"] != nil || one.Options["keySetUrl"] != nil {
				uid := webhookUID
				given.Secrets, given.WebhookUID = nil, &uid
			}
			if err := json.Unmarshal(text, &given); err != nil {
				t.Fatal(err)
			}
			expectRefusal(t, refusalOf(given), one.Refused)
		})
	}
}

func expectRefusal(t *testing.T, err error, want *cases.Refusal) {
	t.Helper()
	if want == nil {
		if err != nil {
			t.Errorf("refused: %v", err)
		}
		return
	}
	// In Go this option is a function.
	name := strings.Replace(want.Option, "toleranceSeconds", "tolerance", 1)
	if err == nil || err.Error() != "receiver: "+name+" "+want.Rule {
		t.Errorf("got %v, want %v", err, *want)
	}
	if err != nil && strings.Contains(err.Error(), "MfKQ9r8G") {
		t.Error("the error tells the secret")
	}
}

func TestEachMemoryStoreChecksItsCount(t *testing.T) {
	for name, make := range map[string]func(int){
		"deliveries": func(count int) { receiver.NewMemoryDeliveryStore(count) },
		"sequences":  func(count int) { receiver.NewMemorySequenceStore(count) },
	} {
		make(0)
		if said := panicOf(func() { make(-1) }); !strings.Contains(said, "countMax must be a whole number") {
			t.Errorf("%s: got %q", name, said)
		}
	}
}

func TestFunctionsAndStoresAreCheckedAtConstruction(t *testing.T) {
	if _, err := receiver.NewVerifier([]string{secret}, receiver.WithClock(nil)); err == nil ||
		err.Error() != "receiver: clock must not be nil" {
		t.Errorf("got %v", err)
	}
	handle := func(context.Context, *receiver.Delivery) error { return nil }
	verifier := newVerifier(t)
	for want, make := range map[string]func(){
		"receiver: verifier must not be nil":   func() { receiver.NewHandler(nil, handle) },
		"receiver: onEvent must be a function": func() { receiver.NewHandler(verifier, nil) },
		"receiver: onTest must be a function":  func() { receiver.NewHandler(verifier, handle, receiver.WithTests(nil)) },
		"receiver: store must not be nil":      func() { receiver.NewHandler(verifier, handle, receiver.WithStore(nil)) },
		"receiver: logger must not be nil":     func() { receiver.NewHandler(verifier, handle, receiver.WithLogger(nil)) },
	} {
		if said := panicOf(make); said != want {
			t.Errorf("got %q, want %q", said, want)
		}
	}
}

// Returns "" if it does not panic.
func panicOf(do func()) (said string) {
	defer func() {
		if reason := recover(); reason != nil {
			said = fmt.Sprint(reason)
		}
	}()
	do()
	return ""
}

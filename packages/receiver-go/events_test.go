package receiver_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	receiver "github.com/agent-herald/agent-herald/packages/receiver-go"
)

func verified(t *testing.T, body string) *receiver.Delivery {
	t.Helper()
	request := signedRequest("evt_1", body)
	delivery, err := newVerifier(t).Verify(request.Header, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return delivery
}

func eventBody(event, version, data string) string {
	return `{"eventId":"evt_1","event":"` + event + `","timestamp":"2026-11-21T12:00:00.000Z",` +
		`"appUid":"app_1","version":` + version + `,"data":` + data + `}`
}

// Fails when the service adds an event or a field that this package has no type for.
func TestEachSampleHasATypeWithAllItsFields(t *testing.T) {
	for _, one := range readCases(t).Deliveries {
		name, isSample := strings.CutPrefix(one.Name, "the sample of ")
		if !isSample {
			continue
		}
		verifier, err := one.Verifier()
		if err != nil {
			t.Fatal(err)
		}
		body, err := one.Body()
		if err != nil {
			t.Fatal(err)
		}
		delivery, err := verifier.Verify(one.Header(), body)
		if err != nil {
			t.Fatal(err)
		}
		var sample, typed map[string]any
		if err := json.Unmarshal(delivery.RawData, &sample); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(delivery.Data)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &typed); err != nil {
			t.Fatal(err)
		}
		for field, value := range sample {
			if !same(typed[field], value) {
				t.Errorf("%s: %s is %v in %T, and %v in the sample", name, field, typed[field], delivery.Data, value)
			}
		}
	}
}

// Null becomes the zero value of a string. Times lose the trailing zeros of their milliseconds.
func same(typed, sample any) bool {
	if inner, isObject := sample.(map[string]any); isObject {
		other, _ := typed.(map[string]any)
		for field, value := range inner {
			if !same(other[field], value) {
				return false
			}
		}
		return true
	}
	if sample == nil {
		return typed == nil || typed == ""
	}
	if text, isText := sample.(string); isText {
		shorter := strings.Replace(text, ".000Z", "Z", 1)
		return typed == text || typed == shorter
	}
	return reflect.DeepEqual(typed, sample)
}

func TestAFieldOfAnotherTypeIsIgnored(t *testing.T) {
	data := `{"uid":"a","externalTenantId":"t","agentName":7,"live":"yes","description":"d","accountUids":["b",1],` +
		`"createdAt":"yesterday","Live":true}`
	agent := verified(t, eventBody("agent.updated", "1", data)).Data.(*receiver.AgentData)
	want := &receiver.AgentData{Description: "d"}
	want.UID, want.ExternalTenantID = "a", "t"
	if !reflect.DeepEqual(agent, want) {
		t.Errorf("got %+v", agent)
	}
}

func TestUnknownEventsAndFieldsAreAvailableRaw(t *testing.T) {
	const data = `{"uid":"a","externalTenantId":"t","new":[1,{"x":2}]}`
	bodies := map[string]string{
		"another event":             eventBody("agent.archived", "1", data),
		"another version":           eventBody("agent.updated", "2", data),
		"a resource without tenant": eventBody("agent.updated", "1", `{"uid":"a"}`),
	}
	for name, body := range bodies {
		delivery := verified(t, body)
		unknown, ok := delivery.Data.(*receiver.UnknownData)
		if !ok || string(unknown.Raw) != string(delivery.RawData) || len(unknown.Raw) == 0 {
			t.Errorf("%s: got %+v", name, delivery.Data)
		}
	}
	known := verified(t, eventBody("agent.updated", "1", data))
	if string(known.RawData) != data {
		t.Errorf("got %s", known.RawData)
	}
}

func TestChangedAtParsesTheTimestamp(t *testing.T) {
	at, err := verified(t, eventBody("agent.updated", "1", `{"uid":"a"}`)).ChangedAt()
	if err != nil || at.UnixMilli() != 1_795_262_400_000 {
		t.Errorf("got %v, %v", at, err)
	}
}

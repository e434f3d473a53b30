package receiver

import (
	"encoding/json"
	"reflect"
)

func readData(d *Delivery, fields map[string]json.RawMessage) EventData {
	data := newData(d.Event)
	if data == nil || d.Version != 1 || (isResource(data) && readText(fields["externalTenantId"]) == "") {
		return &UnknownData{Raw: d.RawData}
	}
	fill(reflect.ValueOf(data).Elem(), fields)
	return data
}

func isResource(data EventData) bool {
	switch data.(type) {
	case *AgentData, *ContextData, *ContextFileData:
		return true
	}
	return false
}

// Sets the fields that are present and have the right type. Unmarshalling the whole struct would match names
// case-insensitively.
func fill(target reflect.Value, fields map[string]json.RawMessage) {
	for i := range target.NumField() {
		field := target.Field(i)
		described := target.Type().Field(i)
		if described.Anonymous {
			fill(field, fields)
			continue
		}
		raw, ok := fields[described.Tag.Get("json")]
		if !ok {
			continue
		}
		if attempt, isNested := field.Interface().(*LastAttempt); isNested {
			if inner, ok := readObject(raw); ok {
				attempt = &LastAttempt{}
				fill(reflect.ValueOf(attempt).Elem(), inner)
				field.Set(reflect.ValueOf(attempt))
			}
			continue
		}
		if json.Unmarshal(raw, field.Addr().Interface()) != nil {
			field.SetZero()
		}
	}
}

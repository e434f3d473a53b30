package receiver

import (
	"encoding/json"
	"time"
)

// EventData is data of an event: one of the types below. A field is its zero value, or nil, where it is absent or not of
// its type: of a change that your platform reported, only UID and ExternalTenantID are sure.
type EventData interface{ isEventData() }

// ResourceData is what all resources have.
type ResourceData struct {
	UID              string    `json:"uid"`
	ExternalTenantID string    `json:"externalTenantId"`
	AppUID           string    `json:"appUid"`
	CreatedAt        time.Time `json:"createdAt"`
	UpdatedAt        time.Time `json:"updatedAt"`
}

// AgentData is of agent.created, agent.updated and agent.deleted.
type AgentData struct {
	ResourceData
	AgentName   string   `json:"agentName"`
	Live        *bool    `json:"live"`
	Description string   `json:"description"`
	AccountUIDs []string `json:"accountUids"`
}

// ContextData is of context.created, context.updated and context.deleted.
type ContextData struct {
	ResourceData
	ContextName string `json:"contextName"`
	Description string `json:"description"`
}

// ContextFileData is of contextfile.created, contextfile.updated and contextfile.deleted.
type ContextFileData struct {
	ResourceData
	ContextUID  string `json:"contextUid"`
	FileName    string `json:"fileName"`
	ContentType string `json:"contentType"`
	SizeBytes   *int64 `json:"sizeBytes"`
	// ProcessingStatus is pending, processing, ready or failed.
	ProcessingStatus string `json:"processingStatus"`
	ProcessingError  string `json:"processingError"`
}

// WebhookTestData is of webhook.test; UID is the webhook's.
type WebhookTestData struct {
	UID              string `json:"uid"`
	ExternalTenantID string `json:"externalTenantId"`
	Test             bool   `json:"test"`
}

// LastAttempt is the attempt after which something is told.
type LastAttempt struct {
	EventID string    `json:"eventId"`
	Event   string    `json:"event"`
	N       int64     `json:"n"`
	At      time.Time `json:"at"`
	// Status is nil where there was no answer.
	Status     *int64 `json:"status"`
	ErrorClass string `json:"errorClass"`
	Detail     string `json:"detail"`
}

// WebhookNoticeData is of webhook.failing, .deactivation_scheduled, .deactivated and .recovered.
type WebhookNoticeData struct {
	UID  string `json:"uid"`
	Name string `json:"name"`
	// Kind is resources or operations.
	Kind           string     `json:"kind"`
	URLOrigin      string     `json:"urlOrigin"`
	FailingSince   *time.Time `json:"failingSince"`
	DeactivatesAt  *time.Time `json:"deactivatesAt"`
	DisabledReason string     `json:"disabledReason"`
	// LastAttempt is nil where it is absent.
	LastAttempt *LastAttempt `json:"lastAttempt"`
}

// ExhaustedData is of delivery.exhausted; UID is the webhook's.
type ExhaustedData struct {
	UID            string       `json:"uid"`
	Name           string       `json:"name"`
	Kind           string       `json:"kind"`
	URLOrigin      string       `json:"urlOrigin"`
	ExhaustedCount int64        `json:"exhaustedCount"`
	LastAttempt    *LastAttempt `json:"lastAttempt"`
}

// ExpiringKeyData is of apikey.expiring; UID is the key's.
type ExpiringKeyData struct {
	UID        string     `json:"uid"`
	KeyID      string     `json:"keyId"`
	Name       string     `json:"name"`
	Scopes     []string   `json:"scopes"`
	ExpiresAt  time.Time  `json:"expiresAt"`
	LastUsedAt *time.Time `json:"lastUsedAt"`
	RolledTo   string     `json:"rolledTo"`
}

// UnknownData is of an event or a version that this package does not know, or of a resource without a tenant.
type UnknownData struct {
	Raw json.RawMessage
}

func (*AgentData) isEventData()         {}
func (*ContextData) isEventData()       {}
func (*ContextFileData) isEventData()   {}
func (*WebhookTestData) isEventData()   {}
func (*WebhookNoticeData) isEventData() {}
func (*ExhaustedData) isEventData()     {}
func (*ExpiringKeyData) isEventData()   {}
func (*UnknownData) isEventData()       {}

// Returns an empty value of the type of an event's data, nil for one that is not known.
func newData(event string) EventData {
	switch event {
	case "agent.created", "agent.updated", "agent.deleted":
		return &AgentData{}
	case "context.created", "context.updated", "context.deleted":
		return &ContextData{}
	case "contextfile.created", "contextfile.updated", "contextfile.deleted":
		return &ContextFileData{}
	case "webhook.test":
		return &WebhookTestData{}
	case "webhook.failing", "webhook.deactivation_scheduled", "webhook.deactivated", "webhook.recovered":
		return &WebhookNoticeData{}
	case "delivery.exhausted":
		return &ExhaustedData{}
	case "apikey.expiring":
		return &ExpiringKeyData{}
	}
	return nil
}

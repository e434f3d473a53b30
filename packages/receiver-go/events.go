package receiver

import (
	"encoding/json"
	"time"
)

// EventData is the data of an event: one of the types below. A field that is absent or has another type is its zero
// value or nil. For changes that your platform reported, only UID and ExternalTenantID are guaranteed.
type EventData interface{ isEventData() }

// ResourceData has the fields that all resources share.
type ResourceData struct {
	UID              string    `json:"uid"`
	ExternalTenantID string    `json:"externalTenantId"`
	AppUID           string    `json:"appUid"`
	CreatedAt        time.Time `json:"createdAt"`
	UpdatedAt        time.Time `json:"updatedAt"`
}

// AgentData is the data of agent.created, agent.updated and agent.deleted.
type AgentData struct {
	ResourceData
	AgentName   string   `json:"agentName"`
	Live        *bool    `json:"live"`
	Description string   `json:"description"`
	AccountUIDs []string `json:"accountUids"`
}

// ContextData is the data of context.created, context.updated and context.deleted.
type ContextData struct {
	ResourceData
	ContextName string `json:"contextName"`
	Description string `json:"description"`
}

// ContextFileData is the data of contextfile.created, contextfile.updated and contextfile.deleted.
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

// WebhookTestData is the data of webhook.test. UID identifies the webhook.
type WebhookTestData struct {
	UID              string `json:"uid"`
	ExternalTenantID string `json:"externalTenantId"`
	Test             bool   `json:"test"`
}

// LastAttempt is the attempt that led to a notice.
type LastAttempt struct {
	EventID string    `json:"eventId"`
	Event   string    `json:"event"`
	N       int64     `json:"n"`
	At      time.Time `json:"at"`
	// Status is nil if there was no response.
	Status     *int64 `json:"status"`
	ErrorClass string `json:"errorClass"`
	Detail     string `json:"detail"`
}

// WebhookNoticeData is the data of webhook.failing, .deactivation_scheduled, .deactivated and .recovered.
type WebhookNoticeData struct {
	UID  string `json:"uid"`
	Name string `json:"name"`
	// Kind is resources or operations.
	Kind           string     `json:"kind"`
	URLOrigin      string     `json:"urlOrigin"`
	FailingSince   *time.Time `json:"failingSince"`
	DeactivatesAt  *time.Time `json:"deactivatesAt"`
	DisabledReason string     `json:"disabledReason"`
	// LastAttempt is nil if it is absent.
	LastAttempt *LastAttempt `json:"lastAttempt"`
}

// ExhaustedData is the data of delivery.exhausted. UID identifies the webhook.
type ExhaustedData struct {
	UID            string       `json:"uid"`
	Name           string       `json:"name"`
	Kind           string       `json:"kind"`
	URLOrigin      string       `json:"urlOrigin"`
	ExhaustedCount int64        `json:"exhaustedCount"`
	LastAttempt    *LastAttempt `json:"lastAttempt"`
}

// ExpiringKeyData is the data of apikey.expiring. UID identifies the key.
type ExpiringKeyData struct {
	UID        string     `json:"uid"`
	KeyID      string     `json:"keyId"`
	Name       string     `json:"name"`
	Scopes     []string   `json:"scopes"`
	ExpiresAt  time.Time  `json:"expiresAt"`
	LastUsedAt *time.Time `json:"lastUsedAt"`
	RolledTo   string     `json:"rolledTo"`
}

// OverdueFileData is the data of contextfile.processing_overdue. UID identifies the context file.
type OverdueFileData struct {
	UID              string    `json:"uid"`
	ContextUID       string    `json:"contextUid"`
	FileName         string    `json:"fileName"`
	ExternalTenantID string    `json:"externalTenantId"`
	ProcessingSince  time.Time `json:"processingSince"`
}

// RevocationData is the data of user.tokens_revoked and application.tokens_revoked. UID identifies the user or the
// application.
type RevocationData struct {
	UID       string    `json:"uid"`
	RevokedAt time.Time `json:"revokedAt"`
	// Epoch counts the revocations of UID.
	Epoch int64 `json:"epoch"`
}

// TokenRevocationData is the data of user.token_revoked. UID identifies the user.
type TokenRevocationData struct {
	UID string `json:"uid"`
	// TokenUID is the claim jti of the token.
	TokenUID  string    `json:"tokenUid"`
	RevokedAt time.Time `json:"revokedAt"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// KeyRevocationData is the data of application.key_tokens_revoked. UID identifies the application.
type KeyRevocationData struct {
	UID string `json:"uid"`
	// APIKeyUID is the claim key of the tokens.
	APIKeyUID string    `json:"apiKeyUid"`
	RevokedAt time.Time `json:"revokedAt"`
}

// UnknownData is the data of an event or version that this package does not know, or of a resource without a tenant.
type UnknownData struct {
	Raw json.RawMessage
}

func (*AgentData) isEventData()           {}
func (*ContextData) isEventData()         {}
func (*ContextFileData) isEventData()     {}
func (*WebhookTestData) isEventData()     {}
func (*WebhookNoticeData) isEventData()   {}
func (*ExhaustedData) isEventData()       {}
func (*ExpiringKeyData) isEventData()     {}
func (*OverdueFileData) isEventData()     {}
func (*RevocationData) isEventData()      {}
func (*TokenRevocationData) isEventData() {}
func (*KeyRevocationData) isEventData()   {}
func (*UnknownData) isEventData()         {}

// Returns an empty value of the event's type of data, or nil for an unknown event.
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
	case "contextfile.processing_overdue":
		return &OverdueFileData{}
	case "user.tokens_revoked", "application.tokens_revoked":
		return &RevocationData{}
	case "user.token_revoked":
		return &TokenRevocationData{}
	case "application.key_tokens_revoked":
		return &KeyRevocationData{}
	}
	return nil
}

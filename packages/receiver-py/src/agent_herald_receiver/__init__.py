"""Receives webhooks from agent-herald: verified, typed, and each event handled once."""

from .delivery import Delivery
from .event_data import (
    AgentData,
    ContextData,
    ContextFileData,
    EventData,
    ExhaustedData,
    ExpiringKeyData,
    KeyRevocationData,
    LastAttempt,
    OverdueFileData,
    ResourceData,
    RevocationData,
    TokenRevocationData,
    UnknownData,
    WebhookNoticeData,
    WebhookTestData,
)
from .handling import AsyncHandler, Handler
from .receiver import Receiver
from .refusals import RefusalCode, WebhookRefusedError
from .responses import WebhookResponse
from .signatures import Scheme
from .stores import (
    CLAIM_SECONDS,
    REMEMBER_SECONDS,
    AsyncDeliveryStore,
    AsyncSequenceStore,
    Claim,
    DeliveryStore,
    MemoryDeliveryStore,
    MemorySequenceStore,
    SequenceStore,
)

__all__ = [
    "CLAIM_SECONDS",
    "REMEMBER_SECONDS",
    "AgentData",
    "AsyncDeliveryStore",
    "AsyncHandler",
    "AsyncSequenceStore",
    "Claim",
    "ContextData",
    "ContextFileData",
    "Delivery",
    "DeliveryStore",
    "EventData",
    "ExhaustedData",
    "ExpiringKeyData",
    "Handler",
    "KeyRevocationData",
    "LastAttempt",
    "MemoryDeliveryStore",
    "MemorySequenceStore",
    "OverdueFileData",
    "Receiver",
    "RefusalCode",
    "ResourceData",
    "RevocationData",
    "Scheme",
    "SequenceStore",
    "TokenRevocationData",
    "UnknownData",
    "WebhookNoticeData",
    "WebhookRefusedError",
    "WebhookResponse",
    "WebhookTestData",
]

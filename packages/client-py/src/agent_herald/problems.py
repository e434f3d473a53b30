"""Problems by code. Generated from docs/openapi.json; do not edit."""

from .errors import HeraldError

__all__ = [
    "AppDisabledError",
    "ChallengeFailedError",
    "ConflictError",
    "CredentialsConflictError",
    "ExpectationFailedError",
    "HeadersTooLargeError",
    "IdempotencyKeyReusedError",
    "InsufficientScopeError",
    "InternalError",
    "InvalidCursorError",
    "InvalidRequestError",
    "InvalidWebhookUrlError",
    "LegacyAuthRetiredError",
    "LimitReachedError",
    "MalformedJsonError",
    "MalformedRequestError",
    "NotFoundError",
    "OverloadedError",
    "PayloadTooLargeError",
    "RateLimitedError",
    "RequestTimeoutError",
    "UnauthenticatedError",
    "UnavailableError",
    "UnknownAccountUidsError",
    "UnknownWebhookUidsError",
    "UnsupportedMediaTypeError",
]


class AppDisabledError(HeraldError):
    """403: The application is disabled."""

    default_code = "app_disabled"


class ChallengeFailedError(HeraldError):
    """422: The receiver did not answer the challenge."""

    default_code = "challenge_failed"


class ConflictError(HeraldError):
    """409: The request conflicts with the current state."""

    default_code = "conflict"


class CredentialsConflictError(HeraldError):
    """400: More than one credential was sent."""

    default_code = "credentials_conflict"


class ExpectationFailedError(HeraldError):
    """417: The expectation cannot be met."""

    default_code = "expectation_failed"


class HeadersTooLargeError(HeraldError):
    """431: The request headers are too large."""

    default_code = "headers_too_large"


class IdempotencyKeyReusedError(HeraldError):
    """422: The idempotency key was used with another body."""

    default_code = "idempotency_key_reused"


class InsufficientScopeError(HeraldError):
    """403: The API key lacks the scope for this call."""

    default_code = "insufficient_scope"


class InternalError(HeraldError):
    """500: Something went wrong on our side."""

    default_code = "internal"


class InvalidCursorError(HeraldError):
    """400: The cursor does not belong to this list."""

    default_code = "invalid_cursor"


class InvalidRequestError(HeraldError):
    """400: The request does not match its schema."""

    default_code = "invalid_request"


class InvalidWebhookUrlError(HeraldError):
    """422: The webhook URL cannot be used."""

    default_code = "invalid_webhook_url"


class LegacyAuthRetiredError(HeraldError):
    """410: The legacy authentication flow is retired."""

    default_code = "legacy_auth_retired"


class LimitReachedError(HeraldError):
    """409: A limit has been reached."""

    default_code = "limit_reached"


class MalformedJsonError(HeraldError):
    """400: The body is not acceptable JSON."""

    default_code = "malformed_json"


class MalformedRequestError(HeraldError):
    """400: The request is malformed."""

    default_code = "malformed_request"


class NotFoundError(HeraldError):
    """404: The resource was not found."""

    default_code = "not_found"


class OverloadedError(HeraldError):
    """503: The service is overloaded."""

    default_code = "overloaded"


class PayloadTooLargeError(HeraldError):
    """413: The body is too large."""

    default_code = "payload_too_large"


class RateLimitedError(HeraldError):
    """429: Too many requests."""

    default_code = "rate_limited"


class RequestTimeoutError(HeraldError):
    """408: The request took too long to arrive."""

    default_code = "request_timeout"


class UnauthenticatedError(HeraldError):
    """401: No valid API key was sent."""

    default_code = "unauthenticated"


class UnavailableError(HeraldError):
    """503: The service is unavailable."""

    default_code = "unavailable"


class UnknownAccountUidsError(HeraldError):
    """422: Some accounts do not exist in this application."""

    default_code = "unknown_account_uids"


class UnknownWebhookUidsError(HeraldError):
    """422: Some webhooks do not exist in this application."""

    default_code = "unknown_webhook_uids"


class UnsupportedMediaTypeError(HeraldError):
    """415: The content type is not supported."""

    default_code = "unsupported_media_type"


PROBLEMS: dict[str, type[HeraldError]] = {
    "app_disabled": AppDisabledError,
    "challenge_failed": ChallengeFailedError,
    "conflict": ConflictError,
    "credentials_conflict": CredentialsConflictError,
    "expectation_failed": ExpectationFailedError,
    "headers_too_large": HeadersTooLargeError,
    "idempotency_key_reused": IdempotencyKeyReusedError,
    "insufficient_scope": InsufficientScopeError,
    "internal": InternalError,
    "invalid_cursor": InvalidCursorError,
    "invalid_request": InvalidRequestError,
    "invalid_webhook_url": InvalidWebhookUrlError,
    "legacy_auth_retired": LegacyAuthRetiredError,
    "limit_reached": LimitReachedError,
    "malformed_json": MalformedJsonError,
    "malformed_request": MalformedRequestError,
    "not_found": NotFoundError,
    "overloaded": OverloadedError,
    "payload_too_large": PayloadTooLargeError,
    "rate_limited": RateLimitedError,
    "request_timeout": RequestTimeoutError,
    "unauthenticated": UnauthenticatedError,
    "unavailable": UnavailableError,
    "unknown_account_uids": UnknownAccountUidsError,
    "unknown_webhook_uids": UnknownWebhookUidsError,
    "unsupported_media_type": UnsupportedMediaTypeError,
}

"""Decides whether and when a failed call is retried."""

from __future__ import annotations

import random

from ._calls import Call
from .errors import HeraldError, NoResponseError, NotReachedError

FIRST_WAIT_SECONDS = 0.5
WAIT_SECONDS_MAX = 8.0
RETRY_AFTER_SECONDS_MAX = 60.0

_DOUBLINGS_MAX = 30

# The service rejects these before processing them.
_NOT_PROCESSED = frozenset({408, 429})
_MAYBE_PROCESSED = frozenset({502, 503, 504})


def seconds_until_retry(
    call: Call, error: HeraldError, *, attempt: int, retries: int | None
) -> float | None:
    """Returns the seconds to wait after attempt 1, 2, …, or None if the error is final.

    If `retries` is None, it never gives up, and waits a minute at most.
    """
    if (retries is not None and attempt > retries) or not _is_retryable(call, error, attempt):
        return None
    requested = error.retry_after_seconds or 0.0
    if requested > RETRY_AFTER_SECONDS_MAX and retries is not None:
        return None
    doublings = min(attempt - 1, _DOUBLINGS_MAX)
    longest = min(WAIT_SECONDS_MAX, FIRST_WAIT_SECONDS * float(2**doublings))
    own = longest * random.uniform(0.5, 1)  # noqa: S311
    # A Retry-After in the past must not lead to retries without a pause.
    return max(own, min(requested, RETRY_AFTER_SECONDS_MAX))


def _is_retryable(call: Call, error: HeraldError, attempt: int) -> bool:
    not_processed = error.status in _NOT_PROCESSED or error.code == "overloaded"
    if isinstance(error, NotReachedError) or not_processed:
        return True
    if call.idempotency_key is not None and attempt > 1 and error.code == "conflict":
        # The previous attempt lost its response but is still running.
        return True
    maybe_processed = isinstance(error, NoResponseError) or error.status in _MAYBE_PROCESSED
    return maybe_processed and call.may_repeat

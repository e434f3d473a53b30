"""Whether a failed call is sent again, and when."""

from __future__ import annotations

import random

from ._calls import Call
from .errors import HeraldError, NoResponseError, NotReachedError

FIRST_WAIT_SECONDS = 0.5
WAIT_SECONDS_MAX = 8.0
RETRY_AFTER_SECONDS_MAX = 60.0

_DOUBLINGS_MAX = 30

# The service refuses these before it does anything.
_REFUSED_UNDONE = frozenset({408, 429})
_MAYBE_DONE = frozenset({502, 503, 504})


def seconds_until_retry(
    call: Call, error: HeraldError, *, attempt: int, retries: int | None
) -> float | None:
    """Returns how long to wait after attempt 1, 2, …; None when the error is final.

    Without a number of retries it never gives up, and asks again after a minute at the latest.
    """
    if (retries is not None and attempt > retries) or not _is_retryable(call, error, attempt):
        return None
    asked = error.retry_after_seconds or 0.0
    if asked > RETRY_AFTER_SECONDS_MAX and retries is not None:
        return None
    doublings = min(attempt - 1, _DOUBLINGS_MAX)
    longest = min(WAIT_SECONDS_MAX, FIRST_WAIT_SECONDS * float(2**doublings))
    own = longest * random.uniform(0.5, 1)  # noqa: S311
    # A time that has passed must not make it ask without a pause.
    return max(own, min(asked, RETRY_AFTER_SECONDS_MAX))


def _is_retryable(call: Call, error: HeraldError, attempt: int) -> bool:
    refused_undone = error.status in _REFUSED_UNDONE or error.code == "overloaded"
    if isinstance(error, NotReachedError) or refused_undone:
        return True
    if call.idempotency_key is not None and attempt > 1 and error.code == "conflict":
        # The previous attempt, whose response was lost, is still running.
        return True
    maybe_done = isinstance(error, NoResponseError) or error.status in _MAYBE_DONE
    return maybe_done and call.may_repeat

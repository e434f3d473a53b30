"""The errors of calls. Branch on the class or on `code`: the texts may change."""

from __future__ import annotations

from typing import Any, ClassVar

from .types import FieldError


class HeraldError(Exception):
    """A call failed. Each problem code of the service has its own subclass."""

    default_code: ClassVar[str] = "unknown"

    def __init__(
        self,
        detail: str,
        *,
        request_id: str,
        code: str | None = None,
        status: int | None = None,
        errors: list[FieldError] | None = None,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(detail)
        self.code = code or self.default_code
        """The code of the problem, such as `not_found`."""
        self.status = status
        """The HTTP status. None if there was no response."""
        self.request_id = request_id
        """The ID of the request in the log of the service. Quote it when you ask for help."""
        self.detail = detail
        self.errors = errors or []
        """The invalid fields, each with `pointer`, `code` and `detail`."""
        self.retry_after_seconds = retry_after_seconds
        """How long the service asked callers to wait."""

    def __str__(self) -> str:
        status = "" if self.status is None else f"{self.status} "
        fields = "".join(
            f"; {fault['pointer']}: {fault['detail']}"
            for fault in self.errors
            if fault["detail"] != self.detail
        )
        return f"{status}{self.code}: {self.detail}{fields} (request {self.request_id})"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickle restores an exception from its positional arguments only.
        return (_rebuild, (type(self), self.detail, dict(self.__dict__)))


class NoResponseError(HeraldError):
    """There was no response: the connection broke or was never made. See `__cause__`."""

    default_code = "no_response"


class NotReachedError(NoResponseError):
    """Nothing was sent: wrong name, port or certificate, or the service is down."""

    default_code = "not_reached"


class NoResponseInTimeError(NoResponseError):
    """There was no response within `timeout_seconds`."""

    default_code = "no_response_in_time"


class UnexpectedResponseError(HeraldError):
    """The response did not come from the service, but perhaps from a proxy."""

    default_code = "unexpected_response"


def _rebuild(kind: type[HeraldError], detail: str, fields: dict[str, Any]) -> HeraldError:
    error = kind.__new__(kind, detail)
    error.args = (detail,)
    error.__dict__.update(fields)
    return error

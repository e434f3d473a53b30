"""What a call raises. Branch on the class or on `code`; the texts may change."""

from __future__ import annotations

from typing import Any, ClassVar

from .types import FieldError


class HeraldError(Exception):
    """A call failed. Problems of the service have subclasses by their code."""

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
        """The problem's code, such as `not_found`."""
        self.status = status
        """The HTTP status; None without a response."""
        self.request_id = request_id
        """Quote it when you ask for help; the service logs it."""
        self.detail = detail
        self.errors = errors or []
        """The places of faults, each with `pointer`, `code` and `detail`."""
        self.retry_after_seconds = retry_after_seconds
        """How long the service asks to wait."""

    def __str__(self) -> str:
        status = "" if self.status is None else f"{self.status} "
        places = "".join(
            f"; {fault['pointer']}: {fault['detail']}"
            for fault in self.errors
            if fault["detail"] != self.detail
        )
        return f"{status}{self.code}: {self.detail}{places} (request {self.request_id})"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        # An exception is unpickled by its positional arguments alone.
        return (_rebuild, (type(self), self.detail, dict(self.__dict__)))


class NoResponseError(HeraldError):
    """There was no response: the connection broke, or failed to open. `__cause__` says how."""

    default_code = "no_response"


class NotReachedError(NoResponseError):
    """Nothing was sent: the name, the port or the certificate is wrong, or the service is down."""

    default_code = "not_reached"


class NoResponseInTimeError(NoResponseError):
    """There was no response within `timeout_seconds`."""

    default_code = "no_response_in_time"


class UnexpectedResponseError(HeraldError):
    """The response is not from the service but, for example, from a proxy."""

    default_code = "unexpected_response"


def _rebuild(kind: type[HeraldError], detail: str, fields: dict[str, Any]) -> HeraldError:
    error = kind.__new__(kind, detail)
    error.args = (detail,)
    error.__dict__.update(fields)
    return error

"""Clients of the agent-herald API: `HeraldClient`, and `AsyncHeraldClient` for asyncio."""

from . import problems, types
from ._async_client import AsyncHeraldClient
from ._async_stream import AsyncEventStream
from ._async_transport import AsyncPaged
from ._calls import Page
from ._sync_client import HeraldClient
from ._sync_stream import EventStream
from ._sync_transport import Paged
from ._version import __version__
from .errors import (
    HeraldError,
    NoResponseError,
    NoResponseInTimeError,
    NotReachedError,
    UnexpectedResponseError,
)
from .problems import *  # noqa: F403

__all__ = [
    "AsyncEventStream",
    "AsyncHeraldClient",
    "AsyncPaged",
    "EventStream",
    "HeraldClient",
    "HeraldError",
    "NoResponseError",
    "NoResponseInTimeError",
    "NotReachedError",
    "Page",
    "Paged",
    "UnexpectedResponseError",
    "__version__",
    "types",
]
__all__ += problems.__all__

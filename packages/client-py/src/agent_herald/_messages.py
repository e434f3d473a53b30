"""Parses server-sent events from bytes as they arrive."""

from __future__ import annotations

from dataclasses import dataclass, field

RETRY_SECONDS_MAX = 60.0


@dataclass
class Message:
    """A message. One without data only advances the position, by its ID."""

    kind: str = "message"
    data: list[str] = field(default_factory=list)
    id: str | None = None
    retry_seconds: float | None = None


class MessageReader:
    """Parses chunks of bytes. Splits at line feeds only: JSON can contain other line breaks."""

    def __init__(self) -> None:
        self._rest = b""
        self._message = Message()

    def feed(self, chunk: bytes) -> list[Message]:
        """Returns the messages that the chunk completes."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        complete = []
        for line in lines:
            text = line.removesuffix(b"\r").decode("utf-8", "replace")
            if text:
                self._add(text)
            else:
                complete.append(self._message)
                self._message = Message()
        return complete

    def _add(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._message.data.append(value)
        elif name == "event":
            self._message.kind = value
        elif name == "id":
            self._message.id = value
        elif name == "retry" and value.isascii() and value.isdecimal():
            self._message.retry_seconds = min(float(value) / 1000, RETRY_SECONDS_MAX)

"""Server-sent events, read from bytes as they come."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Message:
    """One of no data only moves the reader on, by its id."""

    kind: str = "message"
    data: list[str] = field(default_factory=list)
    id: str | None = None
    retry_seconds: float | None = None


class MessageReader:
    """Takes bytes in any pieces. Splits at line feeds only, as JSON may hold other line breaks."""

    def __init__(self) -> None:
        self._rest = b""
        self._message = Message()

    def feed(self, chunk: bytes) -> list[Message]:
        """Returns the messages that are complete now."""
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
        elif name == "retry" and value.isdecimal():
            self._message.retry_seconds = int(value) / 1000

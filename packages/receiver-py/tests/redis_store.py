"""The Redis store of the README, and a fake Redis that knows its commands and scripts."""

from __future__ import annotations

import re
import time
from pathlib import Path

from agent_herald_receiver import DeliveryStore

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")


class FakeRedis:
    def __init__(self) -> None:
        self._values: dict[str, tuple[bytes, float]] = {}

    def set(self, key: str, value: str, *, ex: float, nx: bool) -> bool:
        if nx and self.get(key) is not None:
            return False
        self._values[key] = (value.encode(), time.monotonic() + ex)
        return True

    def get(self, key: str) -> bytes | None:
        value, until = self._values.get(key, (b"", 0))
        return value if time.monotonic() < until else None

    def eval(self, script: str, keys: int, key: str, token: str, *seconds: int) -> None:
        assert keys == 1
        held = self.get(key)
        if "'done'" in script:
            if held in (None, token.encode()):
                self.set(key, "done", ex=seconds[0], nx=False)
        elif held == token.encode():
            del self._values[key]


def store_of_readme() -> DeliveryStore:
    """Makes the store of the README with its own Redis."""
    found = re.search(
        r"```python\n(from agent_herald_receiver.*?class RedisStore:.*?)```", README, re.S
    )
    assert found is not None
    names: dict[str, type] = {}
    exec(found[1], names)  # noqa: S102
    store: DeliveryStore = names["RedisStore"](FakeRedis())
    return store

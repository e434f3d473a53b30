from __future__ import annotations

import pytest

from agent_herald import _retries


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_retries, "FIRST_WAIT_SECONDS", 0.001)

"""The back end of docs/embedding.md in FastAPI, with the running service."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient
from world import MISSING

PAGE = Path(__file__).parents[3] / "docs" / "embedding.md"

pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"no service: {', '.join(MISSING)} missing")


def the_app(folder: Path) -> FastAPI:
    snippet = re.search(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert snippet is not None
    file = folder / "app.py"
    file.write_text(snippet[1], "utf-8")
    app = runpy.run_path(str(file))["app"]
    assert isinstance(app, FastAPI)
    return app


def test_the_route_gives_a_token_to_a_visitor_who_is_signed_in(tmp_path: Path) -> None:
    with TestClient(the_app(tmp_path)) as site:
        assert site.post("/agent-token").status_code == 401
        given = site.post("/agent-token", headers={"x-visitor": "visitor-1"})
        assert given.status_code == 200
        assert given.headers["cache-control"] == "no-store"
        assert given.json()["authToken"].count(".") == 2


def test_without_a_token_of_the_service_the_page_is_to_try_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERALD_API_KEY", "ahk_wrong")
    with TestClient(the_app(tmp_path)) as site:
        assert site.post("/agent-token", headers={"x-visitor": "visitor-1"}).status_code == 503

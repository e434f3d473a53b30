"""The quick starts, run as copied, each in its own process."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from deliveries import SECRET, delivery_of

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")

TO_ASGI = """
from starlette.testclient import TestClient
print(TestClient(app).post("/hook", content=body, headers=headers).status_code)
"""
TO_FLASK = """
print(app.test_client().post("/hook", data=body, headers=headers).status_code)
"""
TO_DJANGO = """
from django.test import Client
client = Client(enforce_csrf_checks=True)
print(client.post("/hook", body, "application/json", headers=headers).status_code)
"""


def quick_start_of(framework: str) -> str:
    section = README.split(f"### {framework}\n")[1].split("\n##")[0]
    found = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.parametrize(
    ("framework", "post"), [("FastAPI", TO_ASGI), ("Flask", TO_FLASK), ("Django", TO_DJANGO)]
)
def test_a_quick_start_receives_a_delivery(framework: str, post: str, tmp_path: Path) -> None:
    headers, body = delivery_of()
    app = tmp_path / "app.py"
    app.write_text(quick_start_of(framework), "utf-8")
    program = f"headers, body = {headers!r}, {body!r}\nfrom app import *\n{post}"
    search_path = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[1] / "src")])
    run = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": search_path, "WEBHOOK_SECRET": SECRET},
    )
    assert run.stdout.splitlines() == [
        "agent.updated evt_1",
        "the agent is called Zoë",
        "204",
    ], run.stderr

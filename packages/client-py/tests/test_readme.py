"""The examples, run as copied."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from surface import SURFACE
from world import MISSING, furnished_world, options

from agent_herald import HeraldClient

PACKAGE = Path(__file__).parents[1]
README = (PACKAGE / "README.md").read_text("utf-8")

pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"no service: {', '.join(MISSING)} missing")


def examples_of(section: str) -> list[str]:
    text = README.split(f"## {section}\n")[1].split("\n## ")[0]
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def run(program: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(PACKAGE / "src")},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_quick_start_prints_the_documented_output() -> None:
    (program,) = examples_of("Quick start")
    assert run(program) == ["created Support", "agent.updated", "agent.created"]


def test_the_example_with_asyncio_creates_and_deletes() -> None:
    (program,) = examples_of("With asyncio")
    assert run(program) == ["created 3"]


def test_the_examples_of_sign_in_webhooks_and_recovery_run_one_after_another(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with furnished_world() as world:
        scope: dict[str, object] = {"client": world.client}
        for example in examples_of("Sign-in, webhooks and recovery"):
            exec(example.replace("https://hooks.example.com/agents", world.receiver_url), scope)  # noqa: S102
    signed_in, revoked, twin, progress = capsys.readouterr().out.splitlines()
    assert (signed_in, revoked) == ("active: True", "active: False")
    assert "has the same URL" in twin
    assert re.fullmatch(r"(running|waiting|done) 0", progress)


@pytest.mark.parametrize("section", ["Lists", "The live stream", "Errors"])
def test_the_examples_of_a_section_run(section: str) -> None:
    with HeraldClient(**options()) as client:
        for example in examples_of(section):
            exec(example, {"client": client})  # noqa: S102


def test_the_example_of_an_idempotency_key_repeats_the_first_response() -> None:
    (example,) = examples_of("Retries")
    with furnished_world() as world:
        # The example's address belongs to someone else, and its key may have been used here before.
        program = example.replace("https://example.com/hook", world.receiver_url)
        program = program.replace("setup-of-tenant-7", os.urandom(8).hex())
        for _ in range(2):
            exec(program, {"client": world.client})  # noqa: S102
        webhooks = world.client.webhooks.list()
        assert len([one for one in webhooks if one["url"].startswith(world.receiver_url)]) == 2


def test_the_readme_names_each_method() -> None:
    table = README.split("## Methods\n")[1].split("\n## ")[0]
    for resource, methods in SURFACE.items():
        (row,) = [
            line for line in table.splitlines() if re.match(rf"\|.*`{resource}`.*\|.*\|", line)
        ]
        assert set(methods) <= set(re.findall(r"`(\w+)`", row.split("|")[2]))

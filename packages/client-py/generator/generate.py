"""Generates modules from the contract, and synchronous modules from asynchronous ones."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from contract import Contract
from problems import source_of_problems
from python_types import PythonTypes
from resources import Resources
from to_sync import to_sync

PACKAGE = Path(__file__).parents[1] / "src" / "agent_herald"
WRITTEN_BY_HAND = ("_async_transport.py", "_async_stream.py", "_async_client.py")


def generate() -> dict[str, str]:
    """Returns the generated modules by name."""
    contract = Contract.read()
    types = PythonTypes(contract)
    types.define("FieldError")
    resources = Resources(contract, types).source()
    generated = {
        "_async_resources.py": resources,
        "types.py": types.source(),
        "problems.py": source_of_problems(contract),
        "_sync_resources.py": to_sync(resources, "_async_resources.py"),
    }
    for name in WRITTEN_BY_HAND:
        source = (PACKAGE / name).read_text("utf-8")
        generated[name.replace("async", "sync")] = to_sync(source, name)
    return {name: _formatted(name, source) for name, source in generated.items()}


def _formatted(name: str, source: str) -> str:
    for command in (("check", "--fix", "--select", "I,F401"), ("format",)):
        options = ("--quiet", "--stdin-filename", PACKAGE / name, "-")
        run = subprocess.run(  # noqa: S603
            [sys.executable, "-m", "ruff", *command, *options],
            input=source,
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode != 0:
            raise RuntimeError(f"ruff refuses {name}: {run.stderr}{run.stdout}")
        source = run.stdout
    return source

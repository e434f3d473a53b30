from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path
from zipfile import ZipFile

from deliveries import SECRET, delivery_of

from agent_herald_receiver._version import __version__

PACKAGE = Path(__file__).parents[1]


def run(*command: str | Path) -> str:
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=Path(sys.prefix)
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_verifies_a_delivery_in_an_empty_environment(tmp_path: Path) -> None:
    options = ("--quiet", "--no-deps", "--no-index", "--no-cache-dir")
    pip = (sys.executable, "-m", "pip")
    run(*pip, "wheel", *options, "--no-build-isolation", "-w", tmp_path, PACKAGE)
    (wheel,) = tmp_path.glob("*.whl")
    with ZipFile(wheel) as files:
        names = files.namelist()
        metadata = files.read(next(name for name in names if name.endswith("/METADATA")))
    assert "agent_herald_receiver/py.typed" in names
    assert f"\nVersion: {__version__}\n".encode() in metadata
    assert all(name.startswith("agent_herald_receiver") for name in names)
    assert [line for line in metadata.splitlines() if line.startswith(b"Requires-Dist")] == [
        line for line in metadata.splitlines() if b"; extra == " in line
    ]

    environment = tmp_path / "empty"
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python"
    run(*pip, "--python", python, "install", *options, wheel)
    headers, body = delivery_of()
    program = (
        "import json, sys; from agent_herald_receiver import Receiver;"
        f"delivery = Receiver({SECRET!r}).verify(json.loads(sys.argv[1]), sys.argv[2].encode());"
        "print(delivery.event)"
    )
    verified = run(python, "-I", "-c", program, json.dumps(headers), body.decode())
    assert verified == "agent.updated\n"

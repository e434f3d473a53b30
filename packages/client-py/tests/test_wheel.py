from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from zipfile import ZipFile

from stub_server import StubResponse, serving

from agent_herald import __version__

PACKAGE = Path(__file__).parents[1]

PROGRAM = """
import sys
# The dependencies that pip would have installed.
sys.path.append(sys.argv[2])
import agent_herald
assert agent_herald.__file__.startswith(sys.prefix), agent_herald.__file__
from agent_herald import HeraldClient, NotFoundError
with HeraldClient(url=sys.argv[1], app_uid="app_1", api_key="k") as client:
    print([agent["uid"] for agent in client.agents.list()])
"""


def run(*command: str | Path) -> str:
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=Path(sys.prefix)
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_works_in_an_empty_environment(tmp_path: Path) -> None:
    options = ("--quiet", "--no-deps", "--no-index", "--no-cache-dir")
    pip = (sys.executable, "-m", "pip")
    run(*pip, "wheel", *options, "--no-build-isolation", "-w", tmp_path, PACKAGE)
    (wheel,) = tmp_path.glob("*.whl")
    with ZipFile(wheel) as files:
        names = files.namelist()
        metadata = files.read(next(name for name in names if name.endswith("/METADATA")))
    assert "agent_herald/py.typed" in names
    assert all(name.startswith(("agent_herald/", "agent_herald_client-")) for name in names)
    assert f"Version: {__version__}".encode() in metadata.splitlines()
    required = [line for line in metadata.splitlines() if line.startswith(b"Requires-Dist")]
    assert required == [b"Requires-Dist: httpx2<3,>=2"]

    environment = tmp_path / "empty"
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python"
    run(*pip, "--python", python, "install", *options, wheel)
    page = StubResponse(200, {"data": [{"uid": "agt_1"}], "nextCursor": None})
    with serving(page) as server:
        listed = run(python, "-I", "-c", PROGRAM, server.url, sysconfig.get_path("purelib"))
    assert listed == "['agt_1']\n"

"""The methods match the contract. Skipped without the contract, as in a copy of the package."""

from __future__ import annotations

import ast
import inspect
import sys
from pathlib import Path
from typing import Any

import pytest
from contract import FILE, Contract
from generate import PACKAGE, generate
from surface import ROOT, SURFACE, WITHOUT_METHOD

from agent_herald import AsyncHeraldClient, HeraldClient

SOURCES = sorted(PACKAGE.glob("*.py"))

OPTIONS: dict[str, Any] = {"url": "https://herald.example.com", "app_uid": "app_1", "api_key": "k"}
METHODS = [(resource, method) for resource, methods in SURFACE.items() for method in methods]
needs_contract = pytest.mark.skipif(not FILE.exists(), reason="docs/openapi.json is missing")


@needs_contract
def test_every_public_operation_of_the_contract_has_a_method() -> None:
    with_method = [id for methods in SURFACE.values() for id in methods.values()]
    with_method += ROOT.values()
    assert len(with_method) == len(set(with_method))
    assert {*with_method, *WITHOUT_METHOD} == Contract.read().operations.keys()
    client = HeraldClient(**OPTIONS)
    for resource, method in METHODS:
        assert callable(getattr(getattr(client, resource), method))
    for method in ROOT:
        assert callable(getattr(client, method))
    client.close()


@needs_contract
def test_the_generated_modules_are_up_to_date() -> None:
    for name, source in generate().items():
        assert (PACKAGE / name).read_text("utf-8") == source, f"npm run generate: {name}"


def test_both_clients_have_the_same_signatures() -> None:
    blocking, waiting = HeraldClient(**OPTIONS), AsyncHeraldClient(**OPTIONS)
    for resource, method in METHODS:
        one, other = (
            inspect.signature(getattr(getattr(client, resource), method)).parameters
            for client in (blocking, waiting)
        )
        assert one == other
    blocking.close()


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_the_package_imports_nothing_but_httpx(path: Path) -> None:
    imported = {
        (node.module if isinstance(node, ast.ImportFrom) else node.names[0].name) or ""
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and not node.level)
    }
    assert {module.partition(".")[0] for module in imported} <= {*sys.stdlib_module_names, "httpx2"}

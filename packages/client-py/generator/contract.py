"""The operations of the contract that clients call."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[3] / "docs" / "openapi.json"
APP_PREFIX = "/api/v1/appuid/{appUid}"

Schema = dict[str, Any]


@dataclass(frozen=True)
class Operation:
    id: str
    method: str
    path: str
    facts: dict[str, Any]

    @property
    def is_public(self) -> bool:
        """Whether the operation needs no key."""
        return not self.facts.get("security")

    def parameters(self, location: str) -> list[dict[str, Any]]:
        return [one for one in self.facts.get("parameters", []) if one["in"] == location]

    @property
    def takes_idempotency_key(self) -> bool:
        return any(one["name"] == "Idempotency-Key" for one in self.parameters("header"))

    @property
    def is_stream(self) -> bool:
        return "text/event-stream" in self.facts["responses"].get("200", {}).get("content", {})

    @property
    def body(self) -> Schema | None:
        content = self.facts.get("requestBody", {}).get("content", {})
        schema: Schema | None = content.get("application/json", {}).get("schema")
        return schema

    @property
    def responses(self) -> list[Schema]:
        """The schemas of successful responses that have a body."""
        return [
            response["content"]["application/json"]["schema"]
            for status, response in sorted(self.facts["responses"].items())
            if status.startswith("2") and "application/json" in response.get("content", {})
        ]


class Contract:
    def __init__(self, document: dict[str, Any]) -> None:
        self.schemas: dict[str, Schema] = document["components"]["schemas"]
        self._responses = document["components"]["responses"]
        self.operations = {
            facts["operationId"]: Operation(facts["operationId"], method.upper(), path, facts)
            for path, methods in document["paths"].items()
            for method, facts in methods.items()
            if "Admin area" not in facts["tags"]
        }

    @classmethod
    def read(cls) -> Contract:
        return cls(json.loads(FILE.read_text("utf-8")))

    def resolve(self, schema: Schema) -> Schema:
        reference = schema.get("$ref")
        return schema if reference is None else self.schemas[name_of(reference)]

    def problems(self) -> dict[str, tuple[int, str]]:
        """The status and meaning of each problem code in the responses."""
        found: dict[str, tuple[int, str]] = {}
        for operation in self.operations.values():
            for reference in operation.facts["responses"].values():
                response = self._responses.get(name_of(reference.get("$ref", "")), reference)
                found.update(_problems_of(response))
        return dict(sorted(found.items()))


def _problems_of(response: dict[str, Any]) -> dict[str, tuple[int, str]]:
    schema = response.get("content", {}).get("application/problem+json", {}).get("schema")
    if schema is None:
        return {}
    fields = schema["properties"]
    code = fields["code"]
    meanings = dict(_meaning_of(line) for line in response["description"].splitlines())
    return {
        each: (fields["status"]["const"], meanings.get(each, response["description"]))
        for each in code.get("enum", [code.get("const")])
    }


def _meaning_of(line: str) -> tuple[str, str]:
    code, _, meaning = line.removeprefix("- ").partition(": ")
    return code.strip("`"), meaning


def name_of(reference: str) -> str:
    return reference.rpartition("/")[2]

"""Generates Python types from the JSON Schemas of the contract."""

from __future__ import annotations

import keyword
from collections.abc import Iterable
from typing import Any

from contract import Contract, Schema, name_of
from surface import LITERALS

_SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
_HEADER = '''"""JSON of requests and responses. Generated from docs/openapi.json; do not edit."""

from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypedDict, final
'''


class PythonTypes:
    """Writes types.py: enumerations first, and each type after the types it uses."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self._literals = {self._values_at(path): (name, path) for name, path in LITERALS.items()}
        self._definitions: dict[str, str] = {}
        self._unions: dict[str, str] = {}
        self.names_of_literals = sorted(LITERALS)

    def expression(self, schema: Schema, name: str, *, prefix: str = "") -> str:
        """Returns the Python type of a schema. An anonymous object gets `name`."""
        if "$ref" in schema:
            return prefix + self.define(name_of(schema["$ref"]))
        if "const" in schema:
            return f"Literal[{schema['const']!r}]"
        if "enum" in schema:
            return self._literal(schema["enum"], prefix)
        for choice in ("anyOf", "oneOf"):
            if choice in schema:
                return _union(self.expression(one, name, prefix=prefix) for one in schema[choice])
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        return _union(self._of_kind(kind, schema, name, prefix) for kind in kinds)

    def define(self, name: str) -> str:
        """Writes a schema of the contract. Returns its name."""
        schema = self._contract.schemas[name]
        if "oneOf" in schema and "properties" not in schema:
            self._unions[name] = f"{name} = {self.expression(schema, name)}\n"
        elif name not in self._definitions:
            self._define_object(name, schema)
        return name

    def source(self) -> str:
        literals = [
            f"{name} = Literal[{', '.join(map(repr, values))}]\n"
            for values, name in sorted(
                ((sorted(values), name) for values, (name, _) in self._literals.items()),
                key=lambda entry: entry[1],
            )
        ]
        parts = [*literals, *self._definitions.values(), *self._unions.values()]
        return "\n\n".join([_HEADER, *parts])

    def _of_kind(self, kind: str, schema: Schema, name: str, prefix: str) -> str:
        if kind == "null":
            return "None"
        if kind == "array":
            item = self.expression(schema["items"], f"{name}Item", prefix=prefix)
            return f"list[{item}]"
        if kind != "object":
            return _SCALARS[kind]
        if schema.get("properties"):
            if name not in self._definitions:
                self._define_object(name, schema)
            return prefix + name
        values = schema.get("additionalProperties")
        if not isinstance(values, dict):
            return "dict[str, Any]"
        return f"dict[str, {self.expression(values, f'{name}Value', prefix=prefix)}]"

    def _define_object(self, name: str, schema: Schema) -> None:
        required = always_required(schema)
        lines = [
            f"    {_checked(field)}: {self._field(name, field, of, field in required)}\n"
            f"{_docstring(of)}"
            for field, of in schema["properties"].items()
        ]
        self._definitions[name] = f"@final\nclass {name}(TypedDict):\n" + "".join(lines)

    def _field(self, owner: str, field: str, schema: Schema, required: bool) -> str:
        name = f"{owner}{field[0].upper()}{field[1:]}"
        open_body = (
            owner.endswith("Body")
            and schema.get("type") == "object"
            and "additionalProperties" not in schema
        )
        # A TypedDict would reject the caller's own fields.
        written = "Mapping[str, Any]" if open_body else self.expression(schema, name)
        return written if required else f"NotRequired[{written}]"

    def _literal(self, values: list[Any], prefix: str) -> str:
        texts = [value for value in values if value is not None]
        named = self._literals.get(frozenset(texts))
        written = f"Literal[{', '.join(map(repr, texts))}]" if named is None else prefix + named[0]
        return written if len(texts) == len(values) else f"{written} | None"

    def _values_at(self, path: str) -> frozenset[str]:
        owner, field = path.split(".")
        schema = self._contract.schemas[owner]["properties"][field]
        values = schema.get("enum") or schema["items"]["enum"]
        return frozenset(value for value in values if value is not None)


def always_required(schema: Schema) -> set[str]:
    """Returns the fields that are required in all branches."""
    then, otherwise = (
        set(schema.get(branch, {}).get("required", [])) for branch in ("then", "else")
    )
    return set(schema.get("required", [])) | (then & otherwise)


def _union(types: Iterable[str]) -> str:
    written = list(types)
    members = dict.fromkeys(one.removesuffix(" | None") for one in written)
    if any(one.endswith(" | None") for one in written):
        members["None"] = None
    return " | ".join(sorted(members, key=lambda one: one == "None"))


def _checked(field: str) -> str:
    if not field.isidentifier() or keyword.iskeyword(field):
        raise ValueError(f"the field {field} needs another form of TypedDict")
    return field


def _docstring(schema: Schema) -> str:
    text = schema.get("description")
    return "" if text is None else f'    """{text}"""\n'

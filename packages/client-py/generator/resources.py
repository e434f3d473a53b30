"""Generates asynchronous methods from the operations of the contract."""

from __future__ import annotations

import re
from collections.abc import Iterator

from contract import APP_PREFIX, Contract, Operation, Schema
from python_types import PythonTypes, always_required
from surface import REPEATABLE, RESULT_STATUSES, ROOT, SURFACE

_HEADER = '''"""The methods of the clients. Generated from docs/openapi.json; do not edit."""

from __future__ import annotations

import builtins
from typing import Any, Literal

from . import types
from ._async_stream import AsyncEventStream
from ._async_transport import AsyncPaged, AsyncTransport
from ._calls import Call, idempotency_key_of, path_of

'''


class Resources:
    """Writes the resources of the client."""

    def __init__(self, contract: Contract, types: PythonTypes) -> None:
        self._contract = contract
        self._types = types

    def source(self) -> str:
        parts = [_HEADER]
        for resource, methods in SURFACE.items():
            parts.append(f"\nclass Async{class_name(resource)}:\n{_CONSTRUCTOR}")
            parts += [self._method(name, id) for name, id in methods.items()]
        parts.append('\nclass AsyncResources:\n    """The resources of a client."""\n\n')
        parts.append("    def __init__(self, transport: AsyncTransport) -> None:\n")
        parts.append("        self._transport = transport\n")
        parts += [
            f"        self.{resource} = Async{class_name(resource)}(transport)\n"
            for resource in SURFACE
        ]
        parts += [self._method(name, id) for name, id in ROOT.items()]
        return "".join(parts)

    def _method(self, name: str, operation_id: str) -> str:
        operation = self._contract.operations[operation_id]
        item = self._page_item(operation)
        response = self._response(operation) if item is None else f"AsyncPaged[{item}]"
        if operation.is_stream:
            return self._stream(name, operation)
        written = [*self._call_arguments(operation), *_result_argument(item, response)]
        call = f"Call({', '.join(written)})"
        arguments = ", ".join(["self", *self._arguments(operation)])
        heading = f"\n    def {name}({arguments}) -> {response}:\n"
        docs = f'        """{_docstring(operation)}"""\n'
        if item is not None:
            return f"{heading}{docs}        return AsyncPaged(self._transport, {call})\n"
        heading = heading.replace("    def", "    async def", 1)
        if response == "None":
            return f"{heading}{docs}        await self._transport.send({call})\n"
        return (
            f"{heading}{docs}        response: {response} = await self._transport.send({call})\n"
            "        return response\n"
        )

    def _stream(self, name: str, operation: Operation) -> str:
        arguments = ", ".join(["self", *self._arguments(operation)])
        call = f"Call({', '.join(self._call_arguments(operation))}, accept='text/event-stream')"
        return (
            f"\n    def {name}({arguments}) -> AsyncEventStream:\n"
            f'        """{_docstring(operation)}"""\n'
            f"        return AsyncEventStream(self._transport, {call}, last_event_id)\n"
        )

    def _arguments(self, operation: Operation) -> Iterator[str]:
        for parameter in path_parameters(operation):
            yield f"{snake_case(parameter)}: str"
        body = operation.body
        if body is not None:
            written = self._types.expression(body, "", prefix="types.")
            yield f"body: {written}" + (" | None = None" if self._may_lack(operation) else "")
        query = operation.parameters("query")
        if query or operation.takes_idempotency_key:
            yield "*"
        for one in query:
            written = self._types.expression(one["schema"], "", prefix="types.")
            yield f"{snake_case(one['name'])}: {written} | None = None"
        if operation.is_stream:
            yield "last_event_id: str | None = None"
        if operation.takes_idempotency_key:
            yield "idempotency_key: str | None = None"

    def _may_lack(self, operation: Operation) -> bool:
        """Whether the body can be omitted."""
        body: Schema = self._contract.resolve(operation.body or {})
        is_optional = operation.method == "POST" and not always_required(body)
        return is_optional and operation.id not in ("signUserIn", "createErasure")

    def _call_arguments(self, operation: Operation) -> Iterator[str]:
        yield repr(operation.method)
        yield f"path_of({', '.join(_segments(operation))})"
        query = operation.parameters("query")
        if query:
            pairs = (f"{one['name']!r}: {snake_case(one['name'])}" for one in query)
            yield f"query={{{', '.join(pairs)}}}"
        if operation.body is not None:
            yield "body=body"
        if operation.takes_idempotency_key:
            yield "idempotency_key=idempotency_key_of(idempotency_key)"
        if operation.id in REPEATABLE:
            yield "repeatable=True"
        # An open call about an application has its path; the key does no harm there.
        if operation.is_public and not operation.path.startswith("/api/"):
            yield "public=True"
        if operation.id in RESULT_STATUSES:
            yield f"result_statuses={RESULT_STATUSES[operation.id]!r}"

    def _page_item(self, operation: Operation) -> str | None:
        for response in operation.responses:
            fields = self._contract.resolve(response).get("properties", {})
            if {"data", "nextCursor"} <= fields.keys():
                return self._types.expression(fields["data"]["items"], "", prefix="types.")
        return None

    def _response(self, operation: Operation) -> str:
        written = [self._types.expression(one, "", prefix="types.") for one in operation.responses]
        # In the body of the class, `list` is the method.
        return " | ".join(written).replace("list[", "builtins.list[") or "None"


_CONSTRUCTOR = (
    "    def __init__(self, transport: AsyncTransport) -> None:\n"
    "        self._transport = transport\n"
)


def _result_argument(item: str | None, response: str) -> Iterator[str]:
    if item is not None:
        yield "result='page'"
    elif response != "None":
        yield "result='list'" if response.startswith("builtins.list[") else "result='object'"


def path_parameters(operation: Operation) -> list[str]:
    """Returns the names of the path parameters, in order."""
    return re.findall(r"\{(\w+)\}", operation.path.removeprefix(APP_PREFIX))


def class_name(resource: str) -> str:
    return "".join(word.capitalize() for word in resource.split("_"))


def snake_case(name: str) -> str:
    return re.sub(r"(?=[A-Z])", "_", name).lower()


def _segments(operation: Operation) -> Iterator[str]:
    for segment in operation.path.removeprefix(APP_PREFIX).strip("/").split("/"):
        yield snake_case(segment[1:-1]) if segment.startswith("{") else repr(segment)


def _docstring(operation: Operation) -> str:
    description = operation.facts.get("description", "").replace("\n\n", " ")
    return f"{operation.facts['summary']}. {description}".rstrip()

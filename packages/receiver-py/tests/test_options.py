"""Invalid options are refused when a receiver is made, as in all languages."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from cases import OPTIONS, SECRET

from agent_herald_receiver import Delivery, MemoryDeliveryStore, MemorySequenceStore, Receiver
from agent_herald_receiver import django as for_django
from agent_herald_receiver import flask as for_flask
from agent_herald_receiver import starlette as for_starlette


def in_python(name: str) -> str:
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name)


def make(options: dict[str, Any]) -> None:
    """Makes a receiver and the stores that take a count."""
    own = {in_python(name): value for name, value in options.items()}
    if "count_max" in own:
        count_max = own.pop("count_max")
        own["store"] = MemoryDeliveryStore(count_max)
        own["sequences"] = MemorySequenceStore(count_max)
    is_keyed = "public_keys" in own or "key_set_url" in own
    Receiver(**({"webhook_uid": "whk_1"} if is_keyed else {"secrets": SECRET}) | own)


@pytest.mark.parametrize("case", OPTIONS, ids=lambda case: case["name"])
def test_options_are_refused_as_the_shared_cases_expect(case: dict[str, Any]) -> None:
    if case["refused"] is None:
        make(case["options"])
        return
    with pytest.raises(ValueError, match="must") as error:
        make(case["options"])
    refused = case["refused"]
    rule = re.sub("publicKeys|keySetUrl", lambda name: in_python(name[0]), refused["rule"])
    assert str(error.value) == f"{in_python(refused['option'])} {rule}"
    assert "MfKQ9r8G" not in str(error.value)


@pytest.mark.parametrize("count_max", [0, -1, 1.5, float("nan"), "100", True, None])
@pytest.mark.parametrize("kind", [MemoryDeliveryStore, MemorySequenceStore])
def test_each_memory_store_checks_its_count(kind: Callable[[Any], object], count_max: Any) -> None:
    with pytest.raises(ValueError, match="count_max must be a whole number from 1 on"):
        kind(count_max)


@pytest.mark.parametrize("secrets", [None, b"whsec_AAAA", 7])
def test_a_single_secret_is_checked_like_a_list(secrets: Any) -> None:
    with pytest.raises(ValueError, match=r"secrets\[0\] must be a text"):
        Receiver(secrets, scheme="body-only")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"now_seconds": 1_700_000_000}, "now_seconds must be a function"),
        ({"handle_tests": "false"}, "handle_tests must be True or False"),
        ({"store": {}}, "store must have the methods claim and complete and release"),
        ({"store": MemorySequenceStore()}, "store must have the methods"),
        (
            {"sequences": MemoryDeliveryStore()},
            "sequences must have the methods newest and advance",
        ),
    ],
)
def test_callables_and_stores_are_checked_at_construction(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Receiver(SECRET, **options)


class AsyncStore:
    async def claim(self, _event_id: str, _token: str) -> Any: ...

    async def complete(self, _event_id: str, _token: str) -> None: ...

    async def release(self, _event_id: str, _token: str) -> None: ...


def handler(_: Delivery) -> None: ...


async def async_handler(_: Delivery) -> None: ...


@pytest.mark.parametrize("adapter", [for_django, for_flask, for_starlette])
def test_a_decorator_with_asynchronous_stores_needs_a_coroutine_function(adapter: Any) -> None:
    receiver = Receiver(SECRET, store=AsyncStore())
    with pytest.raises(TypeError, match="stores of coroutines need"):
        adapter.handles_deliveries(receiver)(handler)


@pytest.mark.parametrize("adapter", [for_django, for_flask, for_starlette])
def test_only_a_function_can_be_decorated(adapter: Any) -> None:
    with pytest.raises(TypeError, match="the handler must be a function"):
        adapter.handles_deliveries(Receiver(SECRET))(None)


@pytest.mark.parametrize("adapter", [for_django, for_starlette])
def test_coroutine_functions_work_with_asynchronous_stores(adapter: Any) -> None:
    adapter.handles_deliveries(Receiver(SECRET, store=AsyncStore()))(async_handler)

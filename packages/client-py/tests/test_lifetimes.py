"""Event loops, threads, processes and ends of clients."""

from __future__ import annotations

import asyncio
import gc
import os
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest
from stub_server import StubResponse, StubServer, serving

from agent_herald import AsyncHeraldClient, HeraldClient

OK = StubResponse(200, {"uid": "agt_1"})
AGENT: Any = {"uid": "agt_1"}


@pytest.fixture
def leaves_connections() -> Iterator[None]:
    """Collects the connections that asyncio.run leaves behind, before the next test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        yield
        gc.collect()


def connections_of(server: StubServer) -> list[int]:
    return [received.connection[1] for received in server.received]


async def get(client: AsyncHeraldClient) -> Any:
    return await client.agents.get("agt_1")


async def get_twice(client: AsyncHeraldClient) -> list[Any]:
    return [await get(client), await get(client)]


@pytest.mark.usefixtures("leaves_connections")
def test_an_asyncio_client_works_in_each_run_of_asyncio_with_its_own_connections() -> None:
    with serving(OK, keeps_alive=True) as server:
        client = AsyncHeraldClient(**server.options)
        for _ in range(3):
            assert asyncio.run(get_twice(client)) == [AGENT] * 2
        asyncio.run(client.close())
        ports = connections_of(server)
    assert ports[0::2] == ports[1::2]
    assert len(set(ports)) == 3


@pytest.mark.usefixtures("leaves_connections")
def test_an_asyncio_client_keeps_no_event_loop_that_has_ended() -> None:
    with serving(OK, keeps_alive=True) as server:
        client = AsyncHeraldClient(**server.options)
        for _ in range(3):
            asyncio.run(get(client))
        assert len(client._transport.http._own) == 1
        asyncio.run(client.close())


@pytest.mark.usefixtures("leaves_connections")
def test_an_asyncio_client_works_in_two_threads_at_the_same_time() -> None:
    with serving(OK, keeps_alive=True) as server:
        client = AsyncHeraldClient(**server.options)

        async def run() -> list[Any]:
            first = await get_twice(client)
            other = await asyncio.to_thread(lambda: asyncio.run(get_twice(client)))
            return [*first, *other, *await get_twice(client)]

        assert asyncio.run(run()) == [AGENT] * 6
        ports = connections_of(server)
    assert {*ports[:2], *ports[4:]}.isdisjoint(ports[2:4])


def test_threads_share_a_client() -> None:
    with (
        serving(OK, keeps_alive=True) as server,
        HeraldClient(**server.options) as client,
        ThreadPoolExecutor(4) as threads,
    ):
        assert list(threads.map(client.agents.get, ["agt_1"] * 20)) == [AGENT] * 20


def in_child(server: StubServer, call: Any) -> list[int]:
    """Makes a call in a forked process, and returns the ports of the connections until then."""
    process = os.fork()
    if process == 0:
        status = 1
        try:
            status = 0 if call() == AGENT else 1
        finally:
            os._exit(status)
    assert os.waitpid(process, 0)[1] == 0
    return connections_of(server)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_has_its_own_connections() -> None:
    with serving(OK, keeps_alive=True) as server, HeraldClient(**server.options) as client:
        client.agents.get("agt_1")
        parent, child = in_child(server, lambda: client.agents.get("agt_1"))
        assert parent != child
        client.agents.get("agt_1")
        assert connections_of(server)[2] == parent


@pytest.mark.usefixtures("leaves_connections")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_has_its_own_connections_with_asyncio() -> None:
    with serving(OK, keeps_alive=True) as server:
        client = AsyncHeraldClient(**server.options)
        loop = asyncio.new_event_loop()
        loop.run_until_complete(get(client))
        parent, child = in_child(server, lambda: asyncio.run(get(client)))
        assert parent != child
        loop.run_until_complete(get(client))
        assert connections_of(server)[2] == parent
        loop.run_until_complete(client.close())
        loop.close()


@pytest.mark.parametrize("is_given", [False, True])
def test_a_closed_client_raises_one_clear_error(is_given: bool) -> None:
    uses: list[Callable[[HeraldClient], Any]] = [
        lambda client: client.agents.get("agt_1"),
        lambda client: next(iter(client.agents.list())),
        lambda client: next(iter(client.events.stream())),
        lambda client: client.__enter__(),
    ]
    with serving(OK) as server, httpx2.Client() as http_client:
        options = {**server.options, **({"http_client": http_client} if is_given else {})}
        client = HeraldClient(**options)
        client.close()
        client.close()
        for use in uses:
            with pytest.raises(RuntimeError, match="the client is closed: create a new one"):
                use(client)
        assert server.received == []


def test_a_closed_asyncio_client_raises_one_clear_error() -> None:
    async def run(client: AsyncHeraldClient) -> None:
        async with client:
            assert await get(client) == AGENT
        await client.close()
        with pytest.raises(RuntimeError, match="the client is closed: create a new one"):
            await get(client)
        with pytest.raises(RuntimeError, match="the client is closed: create a new one"):
            async with client:
                pytest.fail("it is open")

    with serving(OK) as server:
        asyncio.run(run(AsyncHeraldClient(**server.options)))
        assert len(server.received) == 1


@pytest.mark.usefixtures("leaves_connections")
def test_a_given_http_client_in_a_second_event_loop_raises_one_clear_error() -> None:
    with serving(OK, keeps_alive=True) as server:
        client = AsyncHeraldClient(**server.options, http_client=httpx2.AsyncClient())
        assert asyncio.run(get(client)) == AGENT
        with pytest.raises(RuntimeError, match="http_client belongs to another event loop"):
            asyncio.run(get(client))


def test_a_cancelled_call_leaves_the_client_usable() -> None:
    async def run(options: dict[str, Any]) -> Any:
        async with AsyncHeraldClient(**options) as client:
            call = asyncio.ensure_future(get(client))
            await asyncio.to_thread(server.has_received.wait)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(get(client), 0.05)
            server.responses[:] = [OK]
            return await get(client)

    with serving(StubResponse(held=True), keeps_alive=True) as server:
        assert asyncio.run(run(server.options)) == AGENT

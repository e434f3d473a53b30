"""Converts an asynchronous module to a synchronous one."""

from __future__ import annotations

import re

_WORDS = {
    "AsyncClient": "Client",
    "AsyncIterator": "Iterator",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "__aiter__": "__iter__",
    "aclose": "close",
    "aiter_bytes": "iter_bytes",
    "aread": "read",
}
_NOTE = "\nMade from {name} by the generator; do not edit.\n"


def to_sync(source: str, name: str) -> str:
    source = source.replace("import asyncio", "import time").replace("asyncio.sleep", "time.sleep")
    source = re.sub(r"\b(?:async|await) ", "", source)
    source = re.sub(r"\b_async_(?=[a-z])", "_sync_", source)
    source = re.sub(r"\w+", lambda word: _WORDS.get(word[0], word[0]), source)
    # Our own classes: AsyncPaged, AsyncTransport, AsyncHeraldClient and the resources.
    source = re.sub(r"\bAsync(?=[A-Z])", "", source)
    if "do not edit" in source:
        return source
    heading, _, rest = source.partition('"""\n')
    return f'{heading}\n{_NOTE.format(name=name)}"""\n{rest}'

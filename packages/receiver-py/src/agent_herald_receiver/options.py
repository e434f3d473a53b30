"""Checks options. The rules and messages are the same for the receivers of all languages."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Sequence
from typing import cast


def check_limit(name: str, limit: object) -> None:
    """Checks for a whole number of at least 1. Raises ``ValueError``."""
    if type(limit) is not int or limit < 1:
        raise ValueError(f"{name} must be a whole number from 1 on")


def check_seconds(name: str, seconds: object) -> None:
    """Checks for a finite number of at least 0. Raises ``ValueError``."""
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not is_number or not 0 <= cast(float, seconds) < math.inf:
        raise ValueError(f"{name} must be a number from 0 on")


def check_webhook_uid(webhook_uid: object) -> str:
    """Returns the uid of a webhook. Raises ``ValueError`` for anything else."""
    if not isinstance(webhook_uid, str) or not re.fullmatch("whk_[0-9a-z]+", webhook_uid):
        rule = "must be the uid of the webhook (whk_…) with public_keys or key_set_url"
        raise ValueError(f"webhook_uid {rule}")
    return webhook_uid


def check_callable(name: str, value: object) -> None:
    """Checks that a value is callable, before it is needed. Raises ``ValueError``."""
    if not callable(value):
        raise ValueError(f"{name} must be a function")


def is_coroutine_function(function: object) -> bool:
    """Checks for a coroutine function, or an object that is called like one."""
    call = getattr(function, "__call__", None)  # noqa: B004
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)


def check_store(name: str, store: object, methods: Sequence[str]) -> None:
    """Checks that a store has the required methods. Raises ``ValueError``."""
    if not all(callable(getattr(store, method, None)) for method in methods):
        raise ValueError(f"{name} must have the methods {' and '.join(methods)}")

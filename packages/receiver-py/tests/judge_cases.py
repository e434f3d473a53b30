"""Prints the result of this package for each case, as JSON keyed by the name of the case."""

from __future__ import annotations

import json
from typing import Any

from cases import CASES, Case

from agent_herald_receiver import Receiver, WebhookRefusedError


def judge(case: Case) -> dict[str, Any]:
    """Returns the verdict in the form of the case's ``expect``."""
    receiver = Receiver(
        case.secrets,
        public_keys=case.public_keys,
        webhook_uid=case.webhook_uid,
        scheme=case.scheme,
        tolerance_seconds=case.tolerance_seconds,
        now_seconds=lambda: case.now_seconds,
    )
    try:
        delivery = receiver.verify(case.headers, case.body)
    except WebhookRefusedError as error:
        return {"ok": False, "code": error.code}
    return {
        "ok": True,
        "eventId": delivery.event_id,
        "event": delivery.event,
        "attempt": delivery.attempt,
        "attemptsLeft": delivery.attempts_left,
        "sequence": delivery.sequence,
        "test": delivery.test,
    }


if __name__ == "__main__":
    print(json.dumps({case.name: judge(case) for case in CASES}))

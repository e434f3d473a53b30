"""The deliveries that the receivers of all languages are tested with."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "receiver-cases"
FILE = json.loads((FOLDER / "deliveries.json").read_text("utf-8"))
_HANDLING_FILE = json.loads((FOLDER / "handling.json").read_text("utf-8"))
#: How attempts are handled: the steps of each case by its name.
HANDLING: dict[str, list[dict[str, Any]]] = {
    case["name"]: case["steps"] for case in _HANDLING_FILE["cases"]
}
#: Bodies, and the challenges to send back.
CHALLENGES: list[dict[str, Any]] = _HANDLING_FILE["challenges"]
#: What is fetched when, and which keys serve meanwhile.
KEY_SETS: list[dict[str, Any]] = json.loads((FOLDER / "key-sets.json").read_text("utf-8"))["cases"]
#: Options, and the expected errors of those that are refused.
OPTIONS: list[dict[str, Any]] = json.loads(
    (FOLDER / "options.json").read_text("utf-8"),
    object_hook=lambda fields: float(fields["number"]) if "number" in fields else fields,
)["cases"]
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


@dataclass(frozen=True)
class Case:
    name: str
    scheme: Any
    secrets: list[str] | None
    public_keys: list[str] | None
    webhook_uid: str | None
    headers: dict[str, str]
    body: bytes
    now_seconds: float
    tolerance_seconds: float
    expect: dict[str, Any]


def _body_of(fields: dict[str, Any]) -> bytes:
    if "bodyBase64" in fields:
        return base64.b64decode(fields["bodyBase64"])
    repeat = fields["bodyRepeat"]
    text: str = repeat["before"] + repeat["text"] * repeat["times"] + repeat["after"]
    return text.encode()


def _read(fields: dict[str, Any]) -> Case:
    return Case(
        name=fields["name"],
        scheme=fields["scheme"],
        secrets=fields.get("secrets"),
        public_keys=fields.get("publicKeys"),
        webhook_uid=fields.get("webhookUid"),
        headers=fields["headers"],
        body=_body_of(fields),
        now_seconds=fields["nowSeconds"],
        tolerance_seconds=fields.get("toleranceSeconds", 300),
        expect=fields["expect"],
    )


CASES = [_read(fields) for fields in FILE["deliveries"]]
SAMPLES = [case for case in CASES if case.name.startswith("the sample of ")]

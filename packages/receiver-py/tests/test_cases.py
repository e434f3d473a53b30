from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from cases import CASES, FILE, SAMPLES, Case
from judge_cases import judge

from agent_herald_receiver import LastAttempt, Receiver, UnknownData
from agent_herald_receiver.read_data import camel_case
from agent_herald_receiver.signatures import sign_body, sign_message, standard_keys, text_keys


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_shared_case_has_its_expected_result(case: Case) -> None:
    assert judge(case) == case.expect


@pytest.mark.parametrize("vector", FILE["standardWebhooks"], ids=lambda vector: vector["id"])
def test_signatures_match_the_vectors_of_standard_webhooks(vector: dict[str, Any]) -> None:
    message = f"{vector['id']}.{vector['timestamp']}.{vector['body']}".encode()
    signature = sign_message(standard_keys([vector["secret"]])[0], message)
    assert signature.decode() == vector["signature"]


@pytest.mark.parametrize("vector", FILE["xWebhookSignature"], ids=lambda vector: vector["header"])
def test_body_signatures_match_the_public_vectors(vector: dict[str, Any]) -> None:
    signature = sign_body(text_keys([vector["secret"]])[0], vector["body"].encode())
    assert signature.decode() == vector["header"]


@pytest.mark.parametrize("case", SAMPLES, ids=lambda case: case.name)
def test_every_field_of_an_event_has_a_field_of_its_dataclass(case: Case) -> None:
    receiver = Receiver(case.secrets, now_seconds=lambda: case.now_seconds)
    delivery = receiver.verify(case.headers, case.body)
    assert not isinstance(delivery.data, UnknownData)
    assert_covers(delivery.data, delivery.payload["data"])


def assert_covers(data: Any, fields: dict[str, Any]) -> None:
    names = {camel_case(field.name): field.name for field in dataclasses.fields(data)}
    assert names.keys() == fields.keys()
    for wire_name, value in fields.items():
        read = getattr(data, names[wire_name])
        assert (read is None) == (value is None), wire_name
        if isinstance(read, LastAttempt):
            assert_covers(read, value)

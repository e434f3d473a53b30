from __future__ import annotations

import base64
from datetime import datetime, timezone
from typing import Any

import pytest
from deliveries import OTHER_SECRET, SECRET, delivery_of, payload_of, sign
from standardwebhooks import Webhook, WebhookVerificationError

from agent_herald_receiver import (
    AgentData,
    ContextFileData,
    Receiver,
    UnknownData,
    WebhookNoticeData,
    WebhookRefusedError,
)
from agent_herald_receiver.signatures import sign_message, standard_keys


def data_of(event: str, fields: dict[str, Any]) -> Any:
    headers, body = delivery_of(event=event, data=fields)
    return Receiver([SECRET]).verify(headers, body).data


def test_signatures_of_standard_webhooks_are_accepted() -> None:
    delivery = Receiver([SECRET]).verify(*delivery_of(sequence=3))
    assert delivery.event_id == "evt_1"
    assert delivery.changed_at == datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
    assert delivery.sequence == 3
    assert delivery.resource == "agent/agt_1"
    assert delivery.data == AgentData(
        uid="agt_1", external_tenant_id="tenant-1", agent_name="Zoë", live=True
    )


def test_standard_webhooks_accepts_signatures_of_this_package() -> None:
    headers, body = delivery_of()
    message = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    signature = sign_message(standard_keys([SECRET])[0], message).decode()
    Webhook(SECRET).verify(body, {**headers, "webhook-signature": signature})
    with pytest.raises(WebhookVerificationError):
        Webhook(OTHER_SECRET).verify(body, {**headers, "webhook-signature": signature})


def test_any_of_the_secrets_is_accepted_and_no_other() -> None:
    headers, body = sign(payload_of("evt_1"), secret=OTHER_SECRET)
    assert Receiver([SECRET, OTHER_SECRET]).verify(headers, body).event_id == "evt_1"
    with pytest.raises(WebhookRefusedError) as refused:
        Receiver([SECRET]).verify(headers, body)
    assert refused.value.code == "signature_mismatch"


@pytest.mark.parametrize(
    "secrets",
    [
        [],
        [""],
        ["whsec_"],
        ["whsec_not base64"],
        [SECRET.removeprefix("whsec_")],
        [SECRET, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS"],
    ],
)
def test_invalid_secrets_are_refused_at_construction(secrets: list[str]) -> None:
    with pytest.raises(ValueError, match="secrets"):
        Receiver(secrets)


def test_an_error_about_a_secret_does_not_show_it() -> None:
    with pytest.raises(ValueError, match=r"secrets\[0\]") as error:
        Receiver(["whsec_almost!"])
    assert "almost" not in str(error.value)


def test_a_single_secret_needs_no_list() -> None:
    assert Receiver(SECRET).verify(*delivery_of()).event_id == "evt_1"


@pytest.mark.parametrize("tolerance_seconds", [-1, float("inf"), float("nan")])
def test_an_invalid_tolerance_is_refused_at_construction(tolerance_seconds: float) -> None:
    with pytest.raises(ValueError, match="tolerance_seconds"):
        Receiver(SECRET, tolerance_seconds=tolerance_seconds)


def test_fractions_of_a_second_do_not_count() -> None:
    headers, body = delivery_of()
    now_seconds = int(headers["webhook-timestamp"]) + 0.9
    receiver = Receiver(SECRET, tolerance_seconds=0, now_seconds=lambda: now_seconds)
    assert receiver.verify(headers, body).event_id == "evt_1"


def test_data_of_a_later_version_has_no_type() -> None:
    delivery = Receiver(SECRET).verify(*delivery_of(version=2))
    assert isinstance(delivery.data, UnknownData)


def test_an_unknown_scheme_is_refused_at_construction() -> None:
    with pytest.raises(ValueError, match="scheme must be standard or body-only"):
        Receiver([SECRET], scheme="body_only")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["webhook-id", "webhook-signature"])
def test_lone_surrogates_in_a_header_are_a_mismatch(name: str) -> None:
    headers, body = delivery_of()
    with pytest.raises(WebhookRefusedError) as refused:
        Receiver([SECRET]).verify({**headers, name: "\udcff"}, body)
    assert refused.value.code == "signature_mismatch"


@pytest.mark.parametrize("timestamp", ["yesterday", "2026-01-01T12:00:00", "2026-13-01T12:00:00Z"])
def test_an_invalid_timestamp_is_kept_as_text(timestamp: str) -> None:
    delivery = Receiver([SECRET]).verify(*delivery_of(timestamp=timestamp))
    assert delivery.timestamp == timestamp
    with pytest.raises(ValueError, match="is not a time"):
        assert delivery.changed_at


def test_numbers_too_long_to_read_are_refused() -> None:
    payload = payload_of("evt_1")
    body = (str(payload).replace("'", '"').replace("True", "1" * 5_000)).encode()
    now = datetime.now(tz=timezone.utc)
    headers = {
        "webhook-id": "evt_1",
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Webhook(SECRET).sign("evt_1", now, body.decode()),
    }
    with pytest.raises(WebhookRefusedError) as refused:
        Receiver([SECRET]).verify(headers, body)
    assert refused.value.code == "invalid_body"


def test_data_reported_by_the_platform_can_have_any_shape() -> None:
    reported = {
        "uid": "1",
        "externalTenantId": "t",
        "fileName": 7,
        "sizeBytes": True,
        "createdAt": "today",
        "colour": "red",
    }
    assert data_of("contextfile.created", reported) == ContextFileData(
        uid="1", external_tenant_id="t"
    )


def test_a_nested_object_of_another_shape_is_none() -> None:
    assert data_of("webhook.failing", {"uid": "w", "lastAttempt": []}) == WebhookNoticeData(uid="w")
    agent = data_of("agent.created", {"uid": "a", "externalTenantId": "t", "accountUids": [1]})
    assert agent.account_uids is None


@pytest.mark.parametrize(
    ("event", "fields"),
    [("agent.archived", {"uid": "a", "externalTenantId": "t"}), ("agent.created", {"uid": "a"})],
)
def test_unknown_data_stays_usable(event: str, fields: dict[str, Any]) -> None:
    assert data_of(event, fields) == UnknownData(fields)


def test_the_payload_has_the_unknown_fields() -> None:
    delivery = Receiver([SECRET]).verify(*delivery_of(later=[1]))
    assert delivery.payload["later"] == [1]


def test_the_raw_bytes_of_a_body_are_verified() -> None:
    headers, body = delivery_of()
    flipped = base64.b64encode(body)
    with pytest.raises(WebhookRefusedError):
        Receiver([SECRET]).verify(headers, flipped)

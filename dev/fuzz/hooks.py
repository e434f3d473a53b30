"""What Schemathesis cannot know about the service: which rejections of valid data are right, and where webhooks may go."""

import re
from dataclasses import dataclass
from itertools import count

import schemathesis
from schemathesis.openapi.checks import RejectedPositiveData


@dataclass(frozen=True)
class Refusal:
    """A rejection of data that the contract allows, for a rule that no schema can express."""

    # The code of the problem, and of its errors if it has any.
    code: str
    reason: str
    # None means every call.
    calls: frozenset[str] | None = None


def of(*calls: str) -> frozenset[str]:
    return frozenset(calls)


webhooks = of("createWebhook", "changeWebhook", "changeWebhookByUid")
emails = of("signUserIn", "listUsers", "adminSignIn", "adminAddMember")
identifiers = of(
    *("signUserIn", "listUsers", "createAgent", "createContext", "reportChange", "createErasure"),
    *("createWebhook", "changeWebhook", "changeWebhookByUid", "createReplay", "createWebhookReplay", "syncWebhook"),
    *("listEvents", "streamEvents", "listDeliveries", "listWebhookDeliveries"),
)
replays = of("createReplay", "createWebhookReplay", "recoverWebhook")

refusals = [
    Refusal("credentials_conflict", "a call without a good credential is tried with two bad ones"),
    Refusal("legacy_auth_retired", "the response names the replacement", of("legacyAuth")),
    Refusal("malformed_json/nul", "texts must not contain U+0000"),
    Refusal("malformed_json/number", "integers in free data must be exact in JSON", of("reportChange")),
    Refusal("invalid_cursor/list", "a cursor belongs to its list and filters"),
    Refusal("idempotency_key_reused", "an idempotency key belongs to its first body"),
    Refusal("unknown_account_uids/unknown_account", "accounts must exist", of("signUserIn", "createAgent", "changeAgent")),
    Refusal("unknown_webhook_uids/unknown_webhook", "webhooks must exist", of("createReplay", "resendEvent")),
    Refusal("invalid_request/range", "since must be before until, and the range is limited", replays | of("getDeliveryStats", "listWebhookStats")),
    Refusal("invalid_request/format", "an email address must not contain quotes, among others", emails),
    Refusal("invalid_request/format", "an identifier must be visible and in NFC", identifiers),
    Refusal("invalid_webhook_url/invalid_webhook_url", "hosts, ports and mail depend on settings", webhooks),
    Refusal("challenge_failed", "an application may require that receivers answer a challenge", webhooks),
    Refusal("invalid_request/not_of_kind", "operations webhooks have their own fields and events", webhooks | of("testWebhook")),
    Refusal("invalid_request/not_in_entities", "a webhook's events must belong to its entities", webhooks),
    Refusal("invalid_request/reserved", "some header names are reserved", webhooks),
    Refusal("invalid_request/repeated", "header names must differ in more than case", webhooks),
    Refusal("invalid_request/too_large", "headers have at most 4,096 bytes in total", webhooks),
    Refusal("invalid_request/filter", "a filter has at most 50 values in total", webhooks),
    Refusal("invalid_request/other_url", "credentials must be set again with a new URL", webhooks),
    Refusal("invalid_request/needs_http", "mail carries no credentials", webhooks),
    Refusal("invalid_request/needs_https", "only https carries a client certificate", webhooks),
    Refusal("invalid_request/not_together", "a webhook has one rate", webhooks),
    Refusal("invalid_request/weak_secret", "a secret must be random bytes", of("createWebhook", "rotateWebhookSecret")),
    Refusal("invalid_request/repeated", "a new secret must differ from the old ones", of("rotateWebhookSecret")),
    Refusal("invalid_request/wait_too_short", "a wait is at least a second", webhooks),
    Refusal("invalid_request/schedule_too_long", "the waits are at most 7 days in total", webhooks),
    Refusal("invalid_request/pem", "a certificate and its key must be a matching PEM pair", webhooks),
    Refusal("invalid_request/range", "a key must end in the future", of("adminCreateApiKey")),
    Refusal("invalid_request/exactlyOne", "namePrefix must be the only filter", of("listUsers")),
    Refusal("invalid_request/format", "an origin has the form that browsers send", of("adminChangeApp")),
    Refusal("invalid_request/too_large", "origins have at most 1,024 bytes in total", of("adminChangeApp")),
    Refusal("unknown_admin/unknown_admin", "a new member must be an admin", of("adminAddMember")),
    Refusal("password_refused/password_length", "a password must be long enough in its canonical form", of("adminChangePassword")),
    Refusal("password_refused/password_too_uniform", "a password must be hard to guess", of("adminChangePassword")),
    Refusal("password_refused/password_wrong", "the caller must know the password", of("adminChangePassword")),
]


def names_of(operation) -> set[str]:
    """Returns the ID of a call, and that of the same call for API keys."""
    name = operation.definition.raw.get("operationId")
    twin = name.removeprefix("admin")
    return {name, twin[:1].lower() + twin[1:]} if operation.path.startswith("/admin/api/apps/") else {name}


def codes_of(response) -> set[str]:
    try:
        problem = response.json()
    except ValueError:
        return set()
    if not isinstance(problem, dict) or "code" not in problem:
        return set()
    errors = problem.get("errors", [])
    return {f"{problem['code']}/{error['code']}" for error in errors} or {problem["code"]}


@schemathesis.hook
def filter_failure(context, failure, case, response) -> bool:
    if not isinstance(failure, RejectedPositiveData):
        return True
    names = names_of(case.operation)
    known = {row.code for row in refusals if row.calls is None or row.calls & names}
    codes = codes_of(response)
    return not (codes and codes <= known)


@schemathesis.hook
def map_body(context, body):
    """Gives most webhooks an accepted URL, so that the other calls find some."""
    if names_of(context.operation) & webhooks and isinstance(body, dict) and isinstance(body.get("url"), str) and len(body["url"]) % 8:
        return {**body, "url": f"http://127.0.0.1/{len(body['url'])}"}
    return body


numbers = count()
good_key = re.compile("[!-~]{1,240}")


@schemathesis.hook
def map_headers(context, headers):
    """Gives each call a unique key, because the response to a repeat may name deleted resources."""
    key = (headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and good_key.fullmatch(key):
        return {**headers, "Idempotency-Key": f"{key}-{next(numbers)}"}
    return headers

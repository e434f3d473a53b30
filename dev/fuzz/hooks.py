"""What Schemathesis cannot know of the service: which refusals of good data are right, and where webhooks may go."""

import re
from dataclasses import dataclass
from itertools import count

import schemathesis
from schemathesis.openapi.checks import RejectedPositiveData


@dataclass(frozen=True)
class Refusal:
    """Data that the contract allows and that is refused all the same: what no schema can say."""

    # Of the problem, and of its errors if it has some.
    code: str
    reason: str
    # None: of every call.
    calls: frozenset[str] | None = None


def of(*calls: str) -> frozenset[str]:
    return frozenset(calls)


webhooks = of("createWebhook", "changeWebhook")
emails = of("signUserIn", "listUsers", "adminSignIn", "adminAddMember")
identifiers = of(
    *("signUserIn", "listUsers", "createAgent", "createContext", "reportChange", "createErasure"),
    *("createWebhook", "changeWebhook", "createReplay", "createWebhookReplay"),
    *("listEvents", "streamEvents", "listDeliveries", "listWebhookDeliveries"),
)
replays = of("createReplay", "createWebhookReplay", "recoverWebhook")

refusals = [
    Refusal("credentials_conflict", "a call without a good credential is tried with two bad ones"),
    Refusal("legacy_auth_retired", "the call tells what replaces it", of("legacyAuth")),
    Refusal("malformed_json/nul", "U+0000 is in no text"),
    Refusal("malformed_json/number", "integers of free data are as JSON carries them exactly", of("reportChange")),
    Refusal("invalid_cursor/list", "a cursor belongs to its list and filters"),
    Refusal("idempotency_key_reused", "an idempotency key belongs to its first body"),
    Refusal("unknown_account_uids/unknown_account", "accounts are there", of("signUserIn", "createAgent", "changeAgent")),
    Refusal("unknown_webhook_uids/unknown_webhook", "webhooks are there", of("createReplay", "resendEvent")),
    Refusal("invalid_request/range", "since is before until, and both are not too far apart", replays | of("getDeliveryStats", "listWebhookStats")),
    Refusal("invalid_request/format", "an e-mail address has no quotes, among others", emails),
    Refusal("invalid_request/format", "an identifier is visible and in the normal form NFC", identifiers),
    Refusal("invalid_webhook_url/invalid_webhook_url", "hosts, ports and mail depend on settings", webhooks),
    Refusal("invalid_request/not_of_kind", "operations webhooks have fields and events of their own", webhooks | of("testWebhook")),
    Refusal("invalid_request/not_in_entities", "a webhook's events are of its entities", webhooks),
    Refusal("invalid_request/reserved", "some names of headers are the service's own", webhooks),
    Refusal("invalid_request/repeated", "names of headers differ in more than their case", webhooks),
    Refusal("invalid_request/too_large", "headers are 4,096 bytes together at most", webhooks),
    Refusal("invalid_request/filter", "a filter has 50 values in all at most", webhooks),
    Refusal("invalid_request/other_url", "credentials are set again with another URL", webhooks),
    Refusal("invalid_request/needs_http", "mail carries no credentials", webhooks),
    Refusal("invalid_request/needs_https", "only https carries a client certificate", webhooks),
    Refusal("invalid_request/wait_too_short", "a wait is a second at least", webhooks),
    Refusal("invalid_request/schedule_too_long", "all waits are 7 days at most", webhooks),
    Refusal("invalid_request/pem", "a certificate and its key are PEM, and belong together", webhooks),
    Refusal("invalid_request/range", "a key ends in the future", of("adminCreateApiKey")),
    Refusal("unknown_admin/unknown_admin", "a member is an admin", of("adminAddMember")),
    Refusal("password_refused/password_length", "a password is as long in its canonical form", of("adminChangePassword")),
    Refusal("password_refused/password_too_uniform", "a password is hard to guess", of("adminChangePassword")),
    Refusal("password_refused/password_wrong", "the caller knows the password", of("adminChangePassword")),
]


def names_of(operation) -> set[str]:
    """The id of a call, and that of the same call for API keys."""
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
    """Lets most webhooks have an address that the service takes, so that the other calls meet some."""
    if names_of(context.operation) & webhooks and isinstance(body, dict) and isinstance(body.get("url"), str) and len(body["url"]) % 8:
        return {**body, "url": f"http://127.0.0.1/{len(body['url'])}"}
    return body


numbers = count()
good_key = re.compile("[!-~]{1,240}")


@schemathesis.hook
def map_headers(context, headers):
    """Gives each call a key of its own: the answer to a repeated one may name what has been deleted since."""
    key = (headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and good_key.fullmatch(key):
        return {**headers, "Idempotency-Key": f"{key}-{next(numbers)}"}
    return headers

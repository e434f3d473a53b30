// The descriptions of a webhook's fields in the contract.
export const webhookTexts = {
  name: 'A name to recognise the webhook by. Null means none.',
  description: 'A description of the webhook. Null means none.',
  metadata:
    'Your own texts, such as `{"team": "search"}`. A change replaces the whole object. Null means none.',
  url: 'The URL of the receiver. It is required on creation. It must use https, port 443 or 8443, and a public address, unless operators allow others. The kind `operations` also accepts `mailto:` and an address.',
  entities:
    'The entities whose events the webhook gets. They are required on creation. The kind `operations` has none.',
  events:
    'The events that the webhook gets. Each must belong to one of `entities`. Null means all events, except revocations of tokens.',
  externalTenantIds:
    'The tenants whose events the webhook gets, compared exactly. Null means all tenants. The kind `operations` has no tenants.',
  retrySchedule:
    'The waits between attempts, such as `["5s", "2m", "1h"]`. Each is a whole number of `ms`, `s`, `m`, `h` or `d`, and at least one second. Together they are at most 7 days. `[]` means a single attempt. Null means the default schedule of the service.',
  ordering:
    'The default is `parallel`. With `resource`, the events about one resource arrive one at a time and in order. A change applies to events that are recorded after the response.',
  ratePerSecond: 'The maximum number of requests per second. Null means no such limit.',
  ratePerSecondPerTenant:
    'The maximum number of requests per second for the events of each tenant, which wait only for each other. It cannot be combined with `ratePerSecond`. Null means no such limit. The kind `operations` has no tenants.',
  filter:
    'The values that fields of `data` must have, such as `{"live": true, "processingStatus": ["ready", "failed"]}`. A key is the path of a field: up to 5 names separated by dots, with at most 256 characters. It has one value or an array of values. Values are strings of up to 256 characters, numbers, booleans or null. A filter has at most 50 values. Null means no filter.',
  signatures:
    'The versions of signatures in `webhook-signature`. `v1` uses the secret of the webhook. `v1a` uses the private key of the application and covers the uid of the webhook, and receivers verify it with the public keys of `GET /api/v1/appuid/{appUid}/.well-known/webhook-keys.json`. The default is `["v1"]`. `X-Webhook-Signature` is always sent.',
  cloudEvents:
    'True also sends the headers `ce-specversion`, `ce-id`, `ce-source`, `ce-type` and `ce-time` (CloudEvents 1.0, binary mode), which `headers` then cannot have. The body stays the same. The default is false.',
  headers:
    'Extra headers of each attempt. They are encrypted on save and never shown again. Names and values have at most 4,096 bytes in total. A name has at most 100 characters. A value has visible ASCII characters, with spaces only between them. A change replaces all headers. Null means none.',
  auth: 'The credentials that are sent as `Authorization`. They are encrypted on save and never shown again. `bearer` has a `token`. `basic` has a `username` without a colon and a `password`, in UTF-8. Null means none.',
  tls: 'The client certificate for receivers that require one. It needs https. The key is encrypted on save and never shown again. Null means none.',
  active:
    'The default is true. False pauses the webhook. Setting it clears `disabledReason`, and true also clears `failingSince`.',
};

export const kindText =
  'The default is `resources`. A webhook of the kind `operations` gets service notifications and no events of resources. The kind cannot be changed.';

export const onResumeText =
  'Send it only with `active: true`. `deliver`, the default, sends the held deliveries. `discard` cancels them. It also cancels retries that are not due, throttled deliveries, and deliveries that wait for the rate limit. Resends, replays and syncs that were requested before send the webhook nothing more.';

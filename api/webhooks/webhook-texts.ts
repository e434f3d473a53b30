// What the contract says of the fields of a webhook's body.
export const webhookTexts = {
  name: 'Null for none.',
  description: 'Null for none.',
  metadata:
    'Texts of yours, such as `{"team": "search"}`. A change replaces the whole object; null for none.',
  url: 'Required on creation: https, port 443 or 8443, at a public address, unless operators allow others; for the kind `operations` also `mailto:` and an address.',
  entities: 'Required on creation, but for the kind `operations`, which has none.',
  events: 'The only events it gets, of types that `entities` has; null for all of them.',
  externalTenantIds:
    'The only tenants whose events it gets, compared exactly; null for all. None for the kind `operations`.',
  retrySchedule:
    'The waits between its attempts, such as `["5s", "2m", "1h"]`: each a whole number of `ms`, `s`, `m`, `h` or `d` and at least a second, 7 days in all. `[]` for one attempt; null for the schedule of the service.',
  ordering:
    '`parallel` by default. `resource`: the events about one resource come one at a time and in order. A change applies to events recorded from the answer on.',
  ratePerSecond: 'At most so many requests a second; null for no such limit.',
  filter:
    'The values that fields of `data` must have, such as `{"live": true, "processingStatus": ["ready", "failed"]}`: by the path of a field, of up to 5 names with a dot between them and 256 characters, a value or an array of them. Values are texts of up to 256 characters, numbers, booleans or null, 50 in all. Null for no filter.',
  headers:
    'Sent with each attempt, sealed and never shown again. At most 4,096 bytes of names and values together; names of at most 100 characters; values in visible ASCII with spaces only between. A change replaces all of them; null for none.',
  auth: 'Sent as `Authorization`, sealed and never shown again. `bearer` has a `token`; `basic` has a `username` without a colon and a `password`, in UTF-8. Null for none.',
  tls: 'The client certificate for receivers that want one, only with https, sealed; its key is never shown again. Null for none.',
  active:
    'True by default; false pauses. Setting it clears `disabledReason`, and true clears `failingSince`.',
};

export const kindText =
  '`resources` by default. `operations`: it gets what the service tells of itself, and no events of resources. It cannot be changed.';

export const onResumeText =
  'Only with `active: true`. `deliver` (the default) sends what was held; `discard` drops it, with retries that are not due yet, throttled deliveries and those that wait for the rate.';

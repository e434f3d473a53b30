// The texts of the document that belong to no call: introduction, groups, credentials and headers.

export const introduction = `Signs in the users of your applications, stores agents, contexts and context files, and
delivers each change of them to webhooks as a signed event.

Requests and responses are JSON in UTF-8. Strings must not contain U+0000, and integers must be within ±(2^53 − 1). Your
identifiers (\`externalId\`, \`externalTenantId\`, the \`uid\` of reported changes) are compared exactly, also in filters:
case and spaces count. They must contain a visible character, no invisible ones, and be in Unicode normal form NFC.
Problems are \`application/problem+json\` (RFC 9457). Branch on \`code\`, and quote \`requestId\` when you ask for help.
Lists have a \`nextCursor\`. Send it as \`cursor\` to get the next page, until it is null.`;

const tagTexts = {
  Users: 'Sign-ins, tokens and data of users.',
  Accounts: 'Groups of users.',
  Webhooks: 'Endpoints that receive your events, and their secrets.',
  Agents: 'AI agents of tenants.',
  Contexts: 'Collections of documents and their files.',
  Events: 'Changes and their deliveries.',
  Recovery: 'Resending events and erasing their payloads.',
  'Audit log': 'A record of who did what.',
  'Admin area': 'The calls of the console.',
  Service: 'Public keys, probes and documents. These calls need no credential.',
  'Deliveries to you': 'The requests that your receivers get.',
} as const;

type Tag = keyof typeof tagTexts;

export const tags = Object.entries(tagTexts).map(([name, description]) => ({ name, description }));

const tagsByNoun: Readonly<Record<string, Tag>> = {
  sdkusers: 'Users',
  accounts: 'Accounts',
  webhooks: 'Webhooks',
  'event-types': 'Events',
  agents: 'Agents',
  contexts: 'Contexts',
  changes: 'Events',
  events: 'Events',
  deliveries: 'Events',
  stats: 'Events',
  replays: 'Recovery',
  syncs: 'Recovery',
  erasures: 'Recovery',
  'audit-log': 'Audit log',
  settings: 'Webhooks',
  '.well-known': 'Webhooks',
};

/** Returns the group of a route. Throws for a noun without a group. */
export function tagOf(path: string): Tag {
  if (path.startsWith('/admin/api/')) return 'Admin area';
  const rest = /^\/api\/v1\/appuid\/:appUid\/(.+)$/.exec(path)?.[1];
  if (rest === undefined) return 'Service';
  if (/\/(?:replays|recover|sync)(?:\/|$)/.test(rest)) return 'Recovery';
  const noun = rest.split('/')[0] ?? '';
  const tag = tagsByNoun[noun];
  if (tag === undefined) throw new Error(`${noun} has no group in the document`);
  return tag;
}

export const securitySchemes = {
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The API key.' },
  session: { type: 'apiKey', in: 'cookie', name: '__Host-herald_admin' },
  csrfToken: { type: 'apiKey', in: 'header', name: 'x-csrf-token' },
};

export const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A key that makes a repeat safe. For 24 hours, a request with the same key and path gets the first response again and changes nothing.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
};

export const lastEventId = {
  name: 'Last-Event-ID',
  in: 'header',
  description: 'The ID of the last message that you received. The stream continues after it.',
  schema: { type: 'string' },
};

interface HeaderText {
  description: string;
  schema?: Readonly<Record<string, unknown>>;
}

export const headerTexts: Readonly<Record<string, HeaderText>> = {
  'x-request-id': {
    description:
      'The ID of the request. It is the ID that you sent if it was acceptable, or a new one.',
  },
  ratelimit: { description: 'The remaining calls, and the seconds until the limit is reset.' },
  'ratelimit-policy': { description: 'The limit on calls by the API key or the admin.' },
  location: { description: 'The path of the created resource.' },
  etag: { description: 'A digest of the body.' },
  'set-cookie': { description: 'The cookies of the sign-in, set or deleted.' },
  'retry-after': {
    description: 'The number of seconds to wait.',
    schema: { type: 'integer', minimum: 0 },
  },
  'www-authenticate': { description: 'The credential that the call needs.' },
};

function deliveryHeader(name: string, description: string, schema: HeaderText['schema'] = {}) {
  return { name, in: 'header', required: true, description, schema: { type: 'string', ...schema } };
}

const optional = { required: false };

const cloudEventHeaders = Object.entries({
  'ce-specversion': '`1.0`, like the other `ce-` headers only if the webhook has `cloudEvents`.',
  'ce-id': 'The `eventId`.',
  'ce-source': 'The path of the application.',
  'ce-type': 'The `event`.',
  'ce-time': 'The `timestamp` of the body.',
}).map(([name, description]) => ({ ...deliveryHeader(name, description), ...optional }));

/** The headers of each delivery (docs/webhooks.md, "Headers"). */
export const deliveryHeaders = [
  deliveryHeader(
    'X-Webhook-Signature',
    '`sha256=`, followed by the hexadecimal HMAC-SHA256 of the raw body.',
  ),
  deliveryHeader('X-Webhook-Uid', 'The uid of the webhook.'),
  deliveryHeader('X-Webhook-Event-Id', 'The `eventId`. It is the same in every attempt.'),
  deliveryHeader('X-Webhook-Timestamp', 'The time of this attempt.', { format: 'date-time' }),
  deliveryHeader('X-Webhook-Attempt', 'The number of the attempt, counted from 1.', {
    type: 'integer',
    minimum: 1,
  }),
  deliveryHeader(
    'X-Webhook-Attempts-Left',
    'The number of automatic attempts that follow if this one fails. It is not signed.',
    { type: 'integer', minimum: 0 },
  ),
  {
    ...deliveryHeader(
      'X-Webhook-Sequence',
      'The number of the change among the changes of one resource, counted from 1. It is not signed; `sequence` in the body is.',
      {
        type: 'integer',
        minimum: 1,
      },
    ),
    ...optional,
  },
  {
    ...deliveryHeader('X-Webhook-Test', '`true` for a test event.', { const: 'true' }),
    ...optional,
  },
  {
    ...deliveryHeader('X-Webhook-Trigger', '`sync` if a sync sends the present state.', {
      const: 'sync',
    }),
    ...optional,
  },
  ...cloudEventHeaders,
  deliveryHeader('webhook-id', 'The `eventId` (Standard Webhooks).'),
  deliveryHeader('webhook-timestamp', 'The time of this attempt, in whole seconds since 1970.'),
  deliveryHeader(
    'webhook-signature',
    'Signatures, separated by a space. `v1,` is followed by the base64 HMAC-SHA256 of ID, time and body, one per secret. `v1a,` is followed by the base64 Ed25519 signature of ID, time, uid of the webhook and body.',
  ),
];

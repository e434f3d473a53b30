// Deliveries that a receiver refuses.
import {
  agentBody,
  agentEvent,
  asymmetricSignature,
  bytesOf,
  casesOf,
  type Draft,
  eventId,
  type Headers,
  nowSeconds,
  otherSecret,
  secret,
  standardSignature,
  webhookUid,
} from './draft.ts';
import { hostileBodies } from './hostile-bodies.ts';
import { otherLengths } from './other-lengths.ts';

const without =
  (left: string) =>
  (all: Headers): Headers =>
    Object.fromEntries(Object.entries(all).filter(([name]) => name !== left));
const changed =
  (name: string, change: (value: string) => string) =>
  (all: Headers): Headers => ({ ...all, [name]: change(all[name] ?? '') });

const missing = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].flatMap((name) =>
  casesOf('missing_header', {
    [`without ${name}`]: { alter: without(name) },
    [`${name} is empty`]: { alter: changed(name, () => '') },
  }),
);

/** Correctly signed, so that only the time is wrong. */
const times: Draft[] = [
  ...casesOf('timestamp_too_old', {
    'a second older than is tolerated': { timestamp: secondsAgo(301) },
    'older than a custom tolerance allows': { toleranceSeconds: 60, timestamp: secondsAgo(61) },
    'a second old, without tolerance': { toleranceSeconds: 0, timestamp: secondsAgo(1) },
    'the time is zero': { timestamp: '0' },
  }),
  ...casesOf('timestamp_too_new', {
    'a second further ahead than is tolerated': { timestamp: secondsAgo(-301) },
    'further ahead than a custom tolerance allows': {
      toleranceSeconds: 60,
      timestamp: secondsAgo(-61),
    },
    'the time has 12 digits': { timestamp: '999999999999' },
  }),
  ...casesOf('invalid_timestamp', {
    'the time is in milliseconds': { timestamp: `${nowSeconds}000` },
    'the time is longer than any number': { timestamp: '9'.repeat(400) },
    'the time is negative': { timestamp: `-${nowSeconds}` },
    'the time has a plus': { timestamp: `+${nowSeconds}` },
    'the time has decimals': { timestamp: `${nowSeconds}.0` },
    'the time has an exponent': { timestamp: '1.7672688e9' },
    'the time is hexadecimal': { timestamp: `0x${nowSeconds.toString(16)}` },
    'the time has a separator': { timestamp: '1_767_268_800' },
    'the time has a space inside': { timestamp: '1767 268800' },
    'the time ends in letters': { timestamp: `${nowSeconds}s` },
    'the time is ISO 8601': { timestamp: '2026-01-01T12:00:00Z' },
    'the time is sent twice': { timestamp: `${nowSeconds}, ${nowSeconds}` },
    'the time is not a number': { timestamp: 'NaN' },
  }),
];

const signatures = casesOf('signature_mismatch', {
  'signed with another secret': { secrets: [otherSecret] },
  'signed with a secret whose last bit differs': { secrets: [`${secret.slice(0, -1)}x`] },
  'signed with the text of the secret instead of its bytes': {
    alter: () => signedBytes(Buffer.from(secret)),
  },
  'signed without the id and the time': {
    alter: changed('webhook-signature', () =>
      standardSignature(secret, { start: '', body: bytesOf(agentBody) }),
    ),
  },
  'a byte of the body changed': { arrives: agentBody.replace('tenant-1', 'tenant-2') },
  'the body was parsed and re-serialised': {
    body: JSON.stringify(agentEvent, null, 2),
    arrives: agentBody,
  },
  'a line break after the body': { arrives: `${agentBody}\n` },
  'the body was lost': { arrives: '' },
  'the id changed': { alter: changed('webhook-id', (id) => id.replace('sample', 'simple')) },
  'the id is sent twice': { alter: changed('webhook-id', (id) => `${id}, ${id}`) },
  'the id has non-ASCII characters': { alter: changed('webhook-id', () => 'évt') },
  'the time changed': { alter: changed('webhook-timestamp', () => secondsAgo(-1)) },
  'the time has zeros before it': { alter: changed('webhook-timestamp', (time) => `00${time}`) },
  'a part of the time moved into the id': {
    alter: (all) => ({ ...all, 'webhook-id': `${eventId}.17`, 'webhook-timestamp': '67268800' }),
    toleranceSeconds: 2_000_000_000,
  },
});

const entries: Readonly<Record<string, (entry: string) => string>> = {
  truncated: (entry) => entry.slice(0, -4),
  'empty after its version': () => 'v1,',
  longer: (entry) => `${entry}AAAA`,
  'without padding': (entry) => entry.replace(/=+$/, ''),
  'with more padding': (entry) => `${entry}=`,
  'in base64 for URLs': (entry) => entry.replaceAll('+', '-').replaceAll('/', '_'),
  'in hex': (entry) => `v1,${Buffer.from(entry.slice(3), 'base64').toString('hex')}`,
  'in lower case': (entry) => entry.toLowerCase(),
  'with different bits after its last byte': (entry) => lastBitsChanged(entry),
  'of version v1a only': (entry) => entry.replace('v1,', 'v1a,'),
  'of version V1': (entry) => entry.replace('v1,', 'V1,'),
  'of version v2': (entry) => entry.replace('v1,', 'v2,'),
  'v1 without comma': (entry) => entry.replace('v1,', 'v1'),
  'v1 with an equals sign': (entry) => entry.replace('v1,', 'v1='),
  'without a version': (entry) => entry.slice(3),
  'with a space after its comma': (entry) => entry.replace(',', ', '),
  'with something after a second comma': (entry) => `${entry},v1`,
  'joined to another by a comma': (entry) => `${entry}, v1,AAAA`,
  'joined to another without a space': (entry) => `v1,AAAA,${entry}`,
  'with non-ASCII characters': () => `v1,${'é'.repeat(44)}`,
  'a comma': () => ',',
};
const wrongEntries = Object.entries(entries).map(([what, change]): Draft => ({
  name: `signature: ${what}`,
  body: plusAndSlash(),
  alter: changed('webhook-signature', change),
  expect: 'signature_mismatch',
}));

const otherScheme = casesOf('missing_header', {
  'only X-Webhook-Signature, which this scheme ignores': {
    alter: (all) => ({ 'X-Webhook-Signature': all['X-Webhook-Signature'] ?? '' }),
  },
});

const otherWebhookUid = 'whk_01another00000000000000000';
const asymmetricOver = (start: string, body: string) => ({
  alter: changed('webhook-signature', () => asymmetricSignature({ start, body: bytesOf(body) })),
});
const asymmetricStart = `${eventId}.${nowSeconds}.`;

/** A receiver can forward requests to the receivers of other webhooks, whose public keys are the same. */
const asymmetric = casesOf('signature_mismatch', {
  'v1a: signed for another webhook': { signedFor: otherWebhookUid },
  'v1a: signed for another webhook, and a forged X-Webhook-Uid': {
    signedFor: otherWebhookUid,
    alter: (all) => ({ ...all, 'X-Webhook-Uid': webhookUid }),
  },
  'v1a: signed without a webhook': asymmetricOver(asymmetricStart, agentBody),
  'v1a: signed for the uid in upper case': asymmetricOver(
    `${asymmetricStart}${webhookUid.toUpperCase()}.`,
    agentBody,
  ),
  'v1a: signed with the uid after the body': asymmetricOver(
    asymmetricStart,
    `${agentBody}.${webhookUid}`,
  ),
  'v1a: a byte of the body changed': { arrives: agentBody.replace('tenant-1', 'tenant-2') },
  'v1a: the sequence in the body changed': {
    arrives: agentBody.replace('"sequence":7', '"sequence":9'),
  },
  'v1a: the time changed': { alter: changed('webhook-timestamp', () => secondsAgo(-1)) },
});

function secondsAgo(seconds: number): string {
  return String(nowSeconds - seconds);
}

function signedBytes(key: Uint8Array): Headers {
  const start = `${eventId}.${nowSeconds}.`;
  const written = `whsec_${Buffer.from(key).toString('base64')}`;
  return {
    'webhook-id': eventId,
    'webhook-timestamp': String(nowSeconds),
    'webhook-signature': standardSignature(written, { start, body: bytesOf(agentBody) }),
  };
}

/** Returns a body whose signature contains a plus and a slash, which base64 for URLs writes differently. */
function plusAndSlash(): string {
  for (let n = 0; ; n += 1) {
    const body = JSON.stringify({ ...agentEvent, data: { ...agentEvent.data, n } });
    const signed = { start: `${eventId}.${nowSeconds}.`, body: bytesOf(body) };
    if (/\+.*\/|\/.*\+/.test(standardSignature(secret, signed))) return body;
  }
}

/** A lenient decoder reads the same bytes: 43 characters of base64 have two bits more than 32 bytes. */
function lastBitsChanged(entry: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const last = alphabet.indexOf(entry.at(-2) ?? '');
  return `${entry.slice(0, -2)}${alphabet[last + 1]}=`;
}

const signatureChanged = (change: (value: string) => string) => ({
  alter: changed('X-Webhook-Signature', change),
});

const bodyOnly: Draft[] = [
  ...casesOf('missing_header', {
    'body only: without X-Webhook-Signature': { alter: without('X-Webhook-Signature') },
    'body only: X-Webhook-Signature is empty': signatureChanged(() => ''),
  }),
  ...casesOf('signature_mismatch', {
    'body only: signed with another secret': { secrets: [otherSecret] },
    'body only: a byte of the body changed': { arrives: agentBody.replace('tenant-1', 'tenant-2') },
    'body only: hex in upper case': signatureChanged(
      (value) => `sha256=${value.slice(7).toUpperCase()}`,
    ),
    'body only: sha256= is missing': signatureChanged((value) => value.slice(7)),
    'body only: sha256= in upper case': signatureChanged((value) =>
      value.replace('sha256', 'SHA256'),
    ),
    'body only: sha1= instead': signatureChanged((value) => value.replace('sha256', 'sha1')),
    'body only: truncated': signatureChanged((value) => value.slice(0, -2)),
    'body only: longer': signatureChanged((value) => `${value}00`),
    'body only: sent twice': signatureChanged((value) => `${value}, ${value}`),
  }),
  ...casesOf('invalid_body', {
    'body only: not JSON': { body: 'eventId=evt_1' },
    'body only: not UTF-8': { body: Buffer.from('{"eventId":"\u00e9"}', 'latin1') },
  }),
  ...casesOf('event_id_mismatch', {
    'body only: the eventId is not X-Webhook-Event-Id': {
      alter: changed('X-Webhook-Event-Id', () => 'evt_2'),
    },
  }),
];

export const hostile: readonly Draft[] = [
  ...missing,
  ...times,
  ...signatures,
  ...wrongEntries,
  ...otherScheme,
  ...hostileBodies,
  ...asymmetric.map((draft): Draft => ({ signedFor: webhookUid, ...draft })),
  ...bodyOnly.map((draft): Draft => ({ ...draft, scheme: 'body-only' })),
  ...otherLengths,
];

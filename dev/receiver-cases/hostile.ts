// Deliveries that a receiver refuses.
import {
  agentBody,
  agentEvent,
  bytesOf,
  type Draft,
  eventId,
  nowSeconds,
  otherSecret,
  secret,
  standardSignature,
} from './draft.ts';
import { hostileBodies } from './hostile-bodies.ts';
import { otherLengths } from './other-lengths.ts';

type Headers = Record<string, string>;

const without =
  (left: string) =>
  (all: Headers): Headers =>
    Object.fromEntries(Object.entries(all).filter(([name]) => name !== left));
const changed =
  (name: string, change: (value: string) => string) =>
  (all: Headers): Headers => ({ ...all, [name]: change(all[name] ?? '') });

const missing: Draft[] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].flatMap(
  (name) => [
    { name: `without ${name}`, alter: without(name), expect: 'missing_header' },
    { name: `${name} is empty`, alter: changed(name, () => ''), expect: 'missing_header' },
  ],
);

/** Signed as they are, so that only the time is wrong. */
const times: Draft[] = [
  {
    name: 'a second older than is tolerated',
    timestamp: String(nowSeconds - 301),
    expect: 'timestamp_too_old',
  },
  {
    name: 'a second further ahead than is tolerated',
    timestamp: String(nowSeconds + 301),
    expect: 'timestamp_too_new',
  },
  {
    name: 'older than a tolerance of its own',
    toleranceSeconds: 60,
    timestamp: String(nowSeconds - 61),
    expect: 'timestamp_too_old',
  },
  {
    name: 'ahead of a tolerance of its own',
    toleranceSeconds: 60,
    timestamp: String(nowSeconds + 61),
    expect: 'timestamp_too_new',
  },
  {
    name: 'a second old, without tolerance',
    toleranceSeconds: 0,
    timestamp: String(nowSeconds - 1),
    expect: 'timestamp_too_old',
  },
  { name: 'the time is zero', timestamp: '0', expect: 'timestamp_too_old' },
  {
    name: 'the time is in milliseconds',
    timestamp: `${nowSeconds}000`,
    expect: 'invalid_timestamp',
  },
  { name: 'the time has 12 digits', timestamp: '999999999999', expect: 'timestamp_too_new' },
  {
    name: 'the time is longer than any number',
    timestamp: '9'.repeat(400),
    expect: 'invalid_timestamp',
  },
  { name: 'the time is negative', timestamp: `-${nowSeconds}`, expect: 'invalid_timestamp' },
  { name: 'the time has a plus', timestamp: `+${nowSeconds}`, expect: 'invalid_timestamp' },
  { name: 'the time has decimals', timestamp: `${nowSeconds}.0`, expect: 'invalid_timestamp' },
  { name: 'the time has an exponent', timestamp: '1.7672688e9', expect: 'invalid_timestamp' },
  {
    name: 'the time is hexadecimal',
    timestamp: `0x${nowSeconds.toString(16)}`,
    expect: 'invalid_timestamp',
  },
  { name: 'the time has a separator', timestamp: '1_767_268_800', expect: 'invalid_timestamp' },
  { name: 'the time has a space inside', timestamp: '1767 268800', expect: 'invalid_timestamp' },
  { name: 'the time ends in letters', timestamp: `${nowSeconds}s`, expect: 'invalid_timestamp' },
  { name: 'the time is ISO 8601', timestamp: '2026-01-01T12:00:00Z', expect: 'invalid_timestamp' },
  {
    name: 'the time comes twice',
    timestamp: `${nowSeconds}, ${nowSeconds}`,
    expect: 'invalid_timestamp',
  },
  { name: 'the time is no number', timestamp: 'NaN', expect: 'invalid_timestamp' },
];

const signatures: Draft[] = [
  { name: 'signed with another secret', secrets: [otherSecret], expect: 'signature_mismatch' },
  {
    name: 'signed with a secret whose last bit differs',
    secrets: [`${secret.slice(0, -1)}x`],
    expect: 'signature_mismatch',
  },
  {
    name: 'signed with the text of the secret instead of its bytes',
    alter: () => signedBytes(Buffer.from(secret)),
    expect: 'signature_mismatch',
  },
  {
    name: 'signed without the id and the time',
    alter: (all) => ({
      ...all,
      'webhook-signature': standardSignature(secret, { start: '', body: bytesOf(agentBody) }),
    }),
    expect: 'signature_mismatch',
  },
  {
    name: 'a byte of the body changed',
    arrives: agentBody.replace('tenant-1', 'tenant-2'),
    expect: 'signature_mismatch',
  },
  {
    name: 'the body was parsed and written again',
    body: JSON.stringify(agentEvent, null, 2),
    arrives: agentBody,
    expect: 'signature_mismatch',
  },
  { name: 'a line break after the body', arrives: `${agentBody}\n`, expect: 'signature_mismatch' },
  { name: 'the body was lost', arrives: '', expect: 'signature_mismatch' },
  {
    name: 'the id changed',
    alter: changed('webhook-id', (id) => id.replace('sample', 'simple')),
    expect: 'signature_mismatch',
  },
  {
    name: 'the id comes twice',
    alter: changed('webhook-id', (id) => `${id}, ${id}`),
    expect: 'signature_mismatch',
  },
  {
    name: 'the id has letters that are not ASCII',
    alter: changed('webhook-id', () => 'évt'),
    expect: 'signature_mismatch',
  },
  {
    name: 'the time changed',
    alter: changed('webhook-timestamp', () => String(nowSeconds + 1)),
    expect: 'signature_mismatch',
  },
  {
    name: 'the time has zeros before it',
    alter: changed('webhook-timestamp', (time) => `00${time}`),
    expect: 'signature_mismatch',
  },
  {
    name: 'a part of the time moved into the id',
    alter: (all) => ({ ...all, 'webhook-id': `${eventId}.17`, 'webhook-timestamp': '67268800' }),
    toleranceSeconds: 2_000_000_000,
    expect: 'signature_mismatch',
  },
  ...(
    [
      ['truncated', (entry) => entry.slice(0, -4)],
      ['empty after its version', () => 'v1,'],
      ['longer', (entry) => `${entry}AAAA`],
      ['without padding', (entry) => entry.replace(/=+$/, '')],
      ['with more padding', (entry) => `${entry}=`],
      ['in base64 for URLs', (entry) => entry.replaceAll('+', '-').replaceAll('/', '_')],
      ['in hex', (entry) => `v1,${Buffer.from(entry.slice(3), 'base64').toString('hex')}`],
      ['in lower case', (entry) => entry.toLowerCase()],
      ['with other bits behind its last byte', (entry) => lastBitsChanged(entry)],
      ['of version v1a only', (entry) => entry.replace('v1,', 'v1a,')],
      ['of version V1', (entry) => entry.replace('v1,', 'V1,')],
      ['of version v2', (entry) => entry.replace('v1,', 'v2,')],
      ['v1 without comma', (entry) => entry.replace('v1,', 'v1')],
      ['v1 with an equals sign', (entry) => entry.replace('v1,', 'v1=')],
      ['without a version', (entry) => entry.slice(3)],
      ['with a space after its comma', (entry) => entry.replace(',', ', ')],
      ['with something behind a second comma', (entry) => `${entry},v1`],
      ['joined to another by a comma', (entry) => `${entry}, v1,AAAA`],
      ['joined to another without space', (entry) => `v1,AAAA,${entry}`],
      ['with letters that are not ASCII', () => `v1,${'é'.repeat(44)}`],
      ['a comma', () => ','],
    ] satisfies [string, (entry: string) => string][]
  ).map(([what, change]): Draft => ({
    name: `signature: ${what}`,
    body: plusAndSlash(),
    alter: changed('webhook-signature', change),
    expect: 'signature_mismatch',
  })),
  {
    name: 'only X-Webhook-Signature, which this scheme does not read',
    alter: (all) => ({ 'X-Webhook-Signature': all['X-Webhook-Signature'] ?? '' }),
    expect: 'missing_header',
  },
];

function signedBytes(key: Uint8Array): Headers {
  const start = `${eventId}.${nowSeconds}.`;
  const written = `whsec_${Buffer.from(key).toString('base64')}`;
  return {
    'webhook-id': eventId,
    'webhook-timestamp': String(nowSeconds),
    'webhook-signature': standardSignature(written, { start, body: bytesOf(agentBody) }),
  };
}

/** A body whose signature has a plus and a slash, so that base64 for URLs looks different. */
function plusAndSlash(): string {
  for (let n = 0; ; n += 1) {
    const body = JSON.stringify({ ...agentEvent, data: { ...agentEvent.data, n } });
    const signed = { start: `${eventId}.${nowSeconds}.`, body: bytesOf(body) };
    if (/\+.*\/|\/.*\+/.test(standardSignature(secret, signed))) return body;
  }
}

/** A lenient decoder reads the same bytes: 43 characters of base64 hold two bits more than 32 bytes. */
function lastBitsChanged(entry: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const last = alphabet.indexOf(entry.at(-2) ?? '');
  return `${entry.slice(0, -2)}${alphabet[last + 1]}=`;
}

const bodyOnly: Draft[] = [
  {
    name: 'body only: without X-Webhook-Signature',
    alter: without('X-Webhook-Signature'),
    expect: 'missing_header',
  },
  {
    name: 'body only: X-Webhook-Signature is empty',
    alter: changed('X-Webhook-Signature', () => ''),
    expect: 'missing_header',
  },
  {
    name: 'body only: signed with another secret',
    secrets: [otherSecret],
    expect: 'signature_mismatch',
  },
  {
    name: 'body only: a byte of the body changed',
    arrives: agentBody.replace('tenant-1', 'tenant-2'),
    expect: 'signature_mismatch',
  },
  {
    name: 'body only: hex in upper case',
    alter: changed('X-Webhook-Signature', (value) => `sha256=${value.slice(7).toUpperCase()}`),
    expect: 'signature_mismatch',
  },
  {
    name: 'body only: sha256= is missing',
    alter: changed('X-Webhook-Signature', (value) => value.slice(7)),
    expect: 'signature_mismatch',
  },
  {
    name: 'body only: sha256= in upper case',
    alter: changed('X-Webhook-Signature', (value) => value.replace('sha256', 'SHA256')),
    expect: 'signature_mismatch',
  },
  {
    name: 'body only: sha1= instead',
    alter: changed('X-Webhook-Signature', (value) => value.replace('sha256', 'sha1')),
    expect: 'signature_mismatch',
  },
  {
    name: 'body only: truncated',
    alter: changed('X-Webhook-Signature', (value) => value.slice(0, -2)),
    expect: 'signature_mismatch',
  },
  {
    name: 'body only: longer',
    alter: changed('X-Webhook-Signature', (value) => `${value}00`),
    expect: 'signature_mismatch',
  },
  {
    name: 'body only: comes twice',
    alter: changed('X-Webhook-Signature', (value) => `${value}, ${value}`),
    expect: 'signature_mismatch',
  },
  { name: 'body only: no JSON', body: 'eventId=evt_1', expect: 'invalid_body' },
  {
    name: 'body only: not UTF-8',
    body: Buffer.from('{"eventId":"\u00e9"}', 'latin1'),
    expect: 'invalid_body',
  },
  {
    name: 'body only: the eventId is another than X-Webhook-Event-Id',
    alter: changed('X-Webhook-Event-Id', () => 'evt_2'),
    expect: 'event_id_mismatch',
  },
];

export const hostile: readonly Draft[] = [
  ...missing,
  ...times,
  ...signatures,
  ...hostileBodies,
  ...bodyOnly.map((draft): Draft => ({ ...draft, scheme: 'body-only' })),
  ...otherLengths,
];

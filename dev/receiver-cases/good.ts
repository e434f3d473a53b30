// Deliveries that a receiver accepts.
import { eventTypesOf } from '../../api/event-types/event-catalogue.ts';
import { isOperationsEvent, testEventName } from '../../lib/model/event-name.ts';
import {
  agentBody,
  agentEvent,
  casesOf,
  type Draft,
  type Headers,
  nowSeconds,
  otherSecret,
  type RepeatedBody,
  secret,
} from './draft.ts';

const events: Draft[] = eventTypesOf(agentEvent.appUid).map(({ event, sample }) => {
  const isTest = event === testEventName;
  return {
    name: `the sample of ${event}`,
    body: JSON.stringify(sample),
    sequence: isTest || isOperationsEvent(event) ? null : 7,
    expect: { event, test: isTest },
  };
});

const withData = (fields: object): string =>
  JSON.stringify({ ...agentEvent, data: { ...agentEvent.data, ...fields } });

/** Returns a body of exactly that many bytes. */
function bodyOfBytes(bytes: number): RepeatedBody {
  const [before = '', after = ''] = withData({ description: '|' }).split('|');
  return { before, text: 'a', times: bytes - before.length - after.length, after };
}

const bodies: Draft[] = [
  ...casesOf(
    {},
    {
      'characters of many scripts': { body: withData({ agentName: 'Zoë 支援 דוא״ל 👩‍🚀' }) },
      'characters as escapes': { body: agentBody.replace('tenant-1', '\\u00e9\\ud83d\\ude80') },
      'whitespace between all tokens': {
        body: ` \r\n\t${JSON.stringify(agentEvent, null, '\t')}\n `,
      },
      'a Content-Length of another body, and the right signature': {
        alter: (all) => ({ ...all, 'Content-Length': '7' }),
      },
      'a body of 2 KiB': { body: bodyOfBytes(2_048) },
      'a body of 256 KiB': { body: bodyOfBytes(262_144) },
      'unknown fields': { body: JSON.stringify({ ...agentEvent, later: [null] }) },
      'a key that differs from a known one in case': {
        body: JSON.stringify({ ...agentEvent, EventId: 'evt_2' }),
      },
      'a version with a fraction of 0': { body: agentBody.replace('"version":1', '"version":1.0') },
      'a version with an exponent': { body: agentBody.replace('"version":1', '"version":1e0') },
      'a version of more than 32 bits': {
        body: JSON.stringify({ ...agentEvent, version: 2 ** 33 }),
      },
      'an unknown version': { body: JSON.stringify({ ...agentEvent, version: 2 }) },
    },
  ),
  {
    name: 'an unknown event',
    body: JSON.stringify({ ...agentEvent, event: 'agent.archived' }),
    expect: { event: 'agent.archived' },
  },
  {
    name: 'a test with the sample of an event',
    body: JSON.stringify({ ...agentEvent, test: true }),
    sequence: null,
    expect: { test: true },
  },
];

const both = [secret, otherSecret];
const signatureChanged = (change: (value: string) => string) => ({
  alter: (all: Headers): Headers => ({
    ...all,
    'webhook-signature': change(all['webhook-signature'] ?? ''),
  }),
});

const rotation = casesOf(
  {},
  {
    'a rotation: the receiver has the old secret': { signedWith: both, secrets: [secret] },
    'a rotation: the receiver has the new secret': { signedWith: both, secrets: [otherSecret] },
    'a rotation: the receiver has both secrets': { signedWith: both },
    'after a rotation: the receiver has both secrets': {
      signedWith: [otherSecret],
      secrets: both,
    },
    'a signature of another version before the right one': signatureChanged(
      (value) => `v1a,AAAA ${value}`,
    ),
    'many wrong signatures before the right one': signatureChanged(
      (value) => 'v1,AAAA '.repeat(50) + value,
    ),
    'spaces around the signatures': signatureChanged((value) => ` v1,AAAA  ${value} `),
  },
);

const times = casesOf(
  {},
  {
    'as old as is tolerated': { timestamp: String(nowSeconds - 300) },
    'as far ahead as is tolerated': { timestamp: String(nowSeconds + 300) },
    'as old as a custom tolerance allows': {
      toleranceSeconds: 60,
      timestamp: String(nowSeconds - 60),
    },
    'of this second, without tolerance': { toleranceSeconds: 0 },
  },
);

const numbered = (attempt: string, sequence: string) => ({
  alter: (all: Headers): Headers => ({
    ...all,
    'X-Webhook-Attempt': attempt,
    'X-Webhook-Sequence': sequence,
  }),
});

const headers: Draft[] = [
  ...casesOf(
    {},
    {
      'header names in lower case': { alter: (all) => renamed(all, (name) => name.toLowerCase()) },
      'header names in upper case': { alter: (all) => renamed(all, (name) => name.toUpperCase()) },
      'a wrong X-Webhook-Signature, which this scheme ignores': {
        alter: (all) => ({ ...all, 'X-Webhook-Signature': 'sha256=00' }),
      },
      'X-Webhook-Test with a body that is not a test': {
        alter: (all) => ({ ...all, 'X-Webhook-Test': 'true' }),
      },
    },
  ),
  ...casesOf(
    { attempt: null, sequence: null },
    {
      'only the headers of Standard Webhooks': { alter: (all) => only(all, 'webhook-') },
      'an attempt and a sequence that are zero': numbered('0', '0'),
      'an attempt and a sequence with zeros before them': numbered('01', '007'),
      'an attempt and a sequence that are not numbers': numbered('1, 1', '1e3'),
    },
  ),
  ...casesOf(
    { attempt: 21, sequence: 999_999_999_999_999 },
    {
      'a high attempt and sequence': numbered('21', '999999999999999'),
    },
  ),
  ...casesOf({ sequence: null }, { 'a sequence of 16 digits': numbered('1', '1000000000000000') }),
];

const bodyOnly: Draft[] = [
  ...casesOf(
    {},
    {
      'body only: as it was sent': {},
      'body only: a rotation, the old secret signs': { signedWith: both },
      'body only: promoted, the receiver has both secrets': {
        signedWith: [otherSecret],
        secrets: both,
      },
      'body only: the time is not covered': {
        timestamp: '1',
        alter: (all) => ({ ...all, 'webhook-signature': 'v1,AAAA' }),
      },
      'body only: header names in lower case': {
        alter: (all) => renamed(all, (name) => name.toLowerCase()),
      },
    },
  ),
  ...casesOf(
    { attempt: null, sequence: null },
    {
      'body only: only the signature header': {
        alter: (all) => only(all, 'X-Webhook-Signature'),
      },
    },
  ),
];

const only = (all: Headers, start: string) =>
  Object.fromEntries(Object.entries(all).filter(([name]) => name.startsWith(start)));

const renamed = (all: Headers, rename: (name: string) => string) =>
  Object.fromEntries(Object.entries(all).map(([name, value]) => [rename(name), value]));

export const good: readonly Draft[] = [
  ...events,
  ...bodies,
  ...rotation,
  ...times,
  ...headers,
  ...bodyOnly.map((draft): Draft => ({ ...draft, scheme: 'body-only' })),
];

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
  webhookUid,
} from './draft.ts';

const events: Draft[] = eventTypesOf(agentEvent.appUid).map(({ event, sample }) => {
  const isTest = event === testEventName;
  const sequence = isTest || isOperationsEvent(event) ? null : agentEvent.sequence;
  return {
    name: `the sample of ${event}`,
    body: JSON.stringify(sample),
    sequence,
    expect: { event, sequence, test: isTest },
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
    body: JSON.stringify({ ...agentEvent, test: true, sequence: undefined }),
    sequence: null,
    expect: { sequence: null, test: true },
  },
];

const withSequence = (sequence: unknown) => ({ body: JSON.stringify({ ...agentEvent, sequence }) });
const noSequences = [null, 0, -1, 1.5, '7', true, [7], 1_000_000_000_000_000];

/** Only the sequence in the body counts, because it is signed. */
const sequences: Draft[] = [
  ...casesOf(
    {},
    {
      'a forged X-Webhook-Sequence': { sequence: 999_999_999 },
      'without X-Webhook-Sequence': { sequence: null },
    },
  ),
  ...casesOf(
    { sequence: null },
    {
      'a body without a sequence': withSequence(undefined),
      'a body without a sequence, and a forged X-Webhook-Sequence': {
        ...withSequence(undefined),
        sequence: 999_999_999,
      },
      ...Object.fromEntries(
        noSequences.map((sequence) => [
          `the sequence ${JSON.stringify(sequence)} in the body`,
          withSequence(sequence),
        ]),
      ),
    },
  ),
  ...casesOf(
    { sequence: 999_999_999_999_999 },
    { 'a sequence of 15 digits': withSequence(999_999_999_999_999) },
  ),
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

const headerSet = (name: string) => (value: string) => ({
  alter: (all: Headers): Headers => ({ ...all, [name]: value }),
});
const numbered = headerSet('X-Webhook-Attempt');
const leaving = headerSet('X-Webhook-Attempts-Left');

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
    { attempt: null, attemptsLeft: null },
    { 'only the headers of Standard Webhooks': { alter: (all) => only(all, 'webhook-') } },
  ),
  ...casesOf({ attemptsLeft: 0 }, { 'the last attempt': leaving('0') }),
  ...casesOf(
    { attemptsLeft: null },
    {
      'fewer attempts left than none': leaving('-1'),
      'attempts left with a zero before them': leaving('00'),
      'attempts left of 16 digits': leaving('1000000000000000'),
    },
  ),
  ...casesOf(
    { attempt: null },
    {
      'an attempt that is zero': numbered('0'),
      'an attempt with a zero before it': numbered('01'),
      'an attempt that is not a number': numbered('1, 1'),
      'an attempt of 16 digits': numbered('1000000000000000'),
    },
  ),
  ...casesOf({ attempt: 999_999_999_999_999 }, { 'a high attempt': numbered('999999999999999') }),
];

const asymmetric: Draft[] = casesOf(
  {},
  {
    'v1a: as it was sent': {},
    'v1a: without X-Webhook-Uid': {
      alter: (all) =>
        Object.fromEntries(Object.entries(all).filter(([name]) => name !== 'X-Webhook-Uid')),
    },
    'v1a: a forged X-Webhook-Uid, which receivers do not read': {
      alter: (all) => ({ ...all, 'X-Webhook-Uid': 'whk_01another00000000000000000' }),
    },
    'v1a: a forged X-Webhook-Sequence': { sequence: 999_999_999 },
  },
);

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
      'body only: a forged X-Webhook-Sequence': { sequence: 999_999_999 },
    },
  ),
  ...casesOf(
    { attempt: null, attemptsLeft: null },
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
  ...sequences,
  ...asymmetric.map((draft): Draft => ({ ...draft, signedFor: webhookUid })),
  ...bodyOnly.map((draft): Draft => ({ ...draft, scheme: 'body-only' })),
];

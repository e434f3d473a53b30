// Deliveries that a receiver accepts.
import { eventTypesOf } from '../../api/event-types/event-catalogue.ts';
import { isOperationsEvent, testEventName } from '../../lib/model/event-name.ts';
import {
  agentBody,
  agentEvent,
  type Draft,
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

/** A body of exactly so many bytes. */
function bodyOfBytes(bytes: number): RepeatedBody {
  const [before = '', after = ''] = withData({ description: '|' }).split('|');
  return { before, text: 'a', times: bytes - before.length - after.length, after };
}

const bodies: Draft[] = [
  {
    name: 'letters of many scripts',
    body: withData({ agentName: 'Zoë 支援 דוא״ל 👩‍🚀' }),
    expect: {},
  },
  {
    name: 'letters as escapes',
    body: agentBody.replace('tenant-1', '\\u00e9\\ud83d\\ude80'),
    expect: {},
  },
  {
    name: 'whitespace between all tokens',
    body: ` \r\n\t${JSON.stringify(agentEvent, null, '\t')}\n `,
    expect: {},
  },
  {
    name: 'a Content-Length of another body, and the right signature',
    alter: (all) => ({ ...all, 'Content-Length': '7' }),
    expect: {},
  },
  { name: 'a body of 2 KiB', body: bodyOfBytes(2_048), expect: {} },
  { name: 'a body of 256 KiB', body: bodyOfBytes(262_144), expect: {} },
  {
    name: 'fields that are not known',
    body: JSON.stringify({ ...agentEvent, later: [null] }),
    expect: {},
  },
  {
    name: 'a key that differs from a known one in case',
    body: JSON.stringify({ ...agentEvent, EventId: 'evt_2' }),
    expect: {},
  },
  {
    name: 'an event that is not known',
    body: JSON.stringify({ ...agentEvent, event: 'agent.archived' }),
    expect: { event: 'agent.archived' },
  },
  {
    name: 'a version that is not known',
    body: JSON.stringify({ ...agentEvent, version: 2 }),
    expect: {},
  },
  {
    name: 'a test with the sample of an event',
    body: JSON.stringify({ ...agentEvent, test: true }),
    sequence: null,
    expect: { test: true },
  },
];

const rotation: Draft[] = [
  {
    name: 'a rotation: the receiver knows the old secret',
    signedWith: [secret, otherSecret],
    secrets: [secret],
    expect: {},
  },
  {
    name: 'a rotation: the receiver knows the new secret',
    signedWith: [secret, otherSecret],
    secrets: [otherSecret],
    expect: {},
  },
  {
    name: 'a rotation: the receiver knows both secrets',
    signedWith: [secret, otherSecret],
    expect: {},
  },
  {
    name: 'after a rotation: the receiver knows both secrets',
    signedWith: [otherSecret],
    secrets: [secret, otherSecret],
    expect: {},
  },
  {
    name: 'a signature of another version before the right one',
    alter: (all) => ({ ...all, 'webhook-signature': `v1a,AAAA ${all['webhook-signature']}` }),
    expect: {},
  },
  {
    name: 'many wrong signatures before the right one',
    alter: (all) => ({
      ...all,
      'webhook-signature': 'v1,AAAA '.repeat(50) + all['webhook-signature'],
    }),
    expect: {},
  },
  {
    name: 'spaces around the signatures',
    alter: (all) => ({ ...all, 'webhook-signature': ` v1,AAAA  ${all['webhook-signature']} ` }),
    expect: {},
  },
];

const times: Draft[] = [
  { name: 'as old as is tolerated', timestamp: String(nowSeconds - 300), expect: {} },
  { name: 'as far ahead as is tolerated', timestamp: String(nowSeconds + 300), expect: {} },
  {
    name: 'as old as a tolerance of its own allows',
    toleranceSeconds: 60,
    timestamp: String(nowSeconds - 60),
    expect: {},
  },
  { name: 'of this second, without tolerance', toleranceSeconds: 0, expect: {} },
];

const headers: Draft[] = [
  {
    name: 'header names in lower case',
    alter: (all) => renamed(all, (name) => name.toLowerCase()),
    expect: {},
  },
  {
    name: 'header names in upper case',
    alter: (all) => renamed(all, (name) => name.toUpperCase()),
    expect: {},
  },
  {
    name: 'only the headers of Standard Webhooks',
    alter: (all) => only(all, 'webhook-'),
    expect: { attempt: null, sequence: null },
  },
  {
    name: 'a wrong X-Webhook-Signature, which this scheme does not read',
    alter: (all) => ({ ...all, 'X-Webhook-Signature': 'sha256=00' }),
    expect: {},
  },
  {
    name: 'X-Webhook-Test of a body that is no test',
    alter: (all) => ({ ...all, 'X-Webhook-Test': 'true' }),
    expect: {},
  },
  {
    name: 'a high attempt and sequence',
    alter: (all) => ({
      ...all,
      'X-Webhook-Attempt': '21',
      'X-Webhook-Sequence': '999999999999999',
    }),
    expect: { attempt: 21, sequence: 999_999_999_999_999 },
  },
  {
    name: 'an attempt and a sequence that are zero',
    alter: (all) => ({ ...all, 'X-Webhook-Attempt': '0', 'X-Webhook-Sequence': '0' }),
    expect: { attempt: null, sequence: null },
  },
  {
    name: 'an attempt and a sequence with zeros before them',
    alter: (all) => ({ ...all, 'X-Webhook-Attempt': '01', 'X-Webhook-Sequence': '007' }),
    expect: { attempt: null, sequence: null },
  },
  {
    name: 'an attempt and a sequence that are no numbers',
    alter: (all) => ({ ...all, 'X-Webhook-Attempt': '1, 1', 'X-Webhook-Sequence': '1e3' }),
    expect: { attempt: null, sequence: null },
  },
  {
    name: 'a sequence of 16 digits',
    alter: (all) => ({ ...all, 'X-Webhook-Sequence': '1000000000000000' }),
    expect: { sequence: null },
  },
];

const bodyOnly: Draft[] = [
  { name: 'body only: as it was sent', expect: {} },
  {
    name: 'body only: a rotation, the old secret signs',
    signedWith: [secret, otherSecret],
    expect: {},
  },
  {
    name: 'body only: promoted, the receiver knows both secrets',
    signedWith: [otherSecret],
    secrets: [secret, otherSecret],
    expect: {},
  },
  {
    name: 'body only: no header but the signature',
    alter: (all) => only(all, 'X-Webhook-Signature'),
    expect: { attempt: null, sequence: null },
  },
  {
    name: 'body only: the time is not covered',
    timestamp: '1',
    alter: (all) => ({ ...all, 'webhook-signature': 'v1,AAAA' }),
    expect: {},
  },
  {
    name: 'body only: header names in lower case',
    alter: (all) => renamed(all, (name) => name.toLowerCase()),
    expect: {},
  },
];

const only = (all: Record<string, string>, start: string) =>
  Object.fromEntries(Object.entries(all).filter(([name]) => name.startsWith(start)));

const renamed = (all: Record<string, string>, rename: (name: string) => string) =>
  Object.fromEntries(Object.entries(all).map(([name, value]) => [rename(name), value]));

export const good: readonly Draft[] = [
  ...events,
  ...bodies,
  ...rotation,
  ...times,
  ...headers,
  ...bodyOnly.map((draft): Draft => ({ ...draft, scheme: 'body-only' })),
];

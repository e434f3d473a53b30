// The catalogue of events, and when and how a failing webhook is reported.
import { eventTypesOf } from '../../../api/event-types/event-catalogue.ts';
import { deliveredEventNames, operationsEventNames } from '../../../lib/model/event-name.ts';
import { writeNoticeMail } from '../../../lib/webhooks/notice-mail.ts';
import { payloadFaults } from '../../support/payload-schema.ts';
import { dayMs, minuteMs, secondMs } from '../../../lib/platform/duration.ts';
import type { Notified } from '../../../lib/model/webhook.ts';
import {
  type Health,
  nextNotice,
  quietSince,
  restartedClock,
} from '../../../lib/webhooks/next-notice.ts';
import { isExhaustedDue } from '../../../lib/webhooks/health-notices.ts';
import { latestChange } from '../../../lib/history/failures.ts';

type Payload = { event: string; appUid: string; data: Record<string, unknown> };

const types = eventTypesOf('app_1');
const sampleOf = (event: string): Payload =>
  structuredClone(types.find((each) => each.event === event)?.sample as Payload);

test('every event has a description, a schema and a sample of the application', () => {
  expect(types.map(({ event }) => event)).toEqual(deliveredEventNames);
  for (const { event, description, schema } of types) {
    expect(description).not.toBe('');
    expect(schema['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(sampleOf(event)).toMatchObject({ event, appUid: 'app_1', version: 1 });
  }
});

test.each(deliveredEventNames)('the sample of %s is valid', (event) => {
  expect(payloadFaults(sampleOf(event))).toEqual([]);
  expect(payloadFaults({ ...sampleOf(event), test: true } as Payload)).toEqual([]);
});

test.each(deliveredEventNames)(
  'a payload of %s without uid or with another type is not',
  (event) => {
    const { uid, ...data } = sampleOf(event).data;
    expect(uid).toEqual(expect.any(String));
    const without: Payload = { ...sampleOf(event), data };
    expect(payloadFaults(without)).toHaveLength(1);
    const wrong = { ...sampleOf(event), data: { ...data, uid: 7 } };
    expect(payloadFaults(wrong)).toHaveLength(1);
    const isReal = { ...sampleOf(event), test: false };
    expect(payloadFaults(isReal)).toHaveLength(1);
  },
);

test.each(operationsEventNames)('the mail of a sample of %s says that it is a test', (event) => {
  const sample = sampleOf(event);
  const mail = writeNoticeMail(JSON.stringify({ ...sample, test: true }), 'https://h.example.com');
  expect(mail.subject).toContain(`test of ${event}`);
  expect(mail.text).toContain('This is a test');
  const real = writeNoticeMail(JSON.stringify(sample), 'https://h.example.com');
  expect(real.subject).not.toContain('test of');
  expect(real.text).not.toContain('This is a test');
});

const at = new Date('2026-11-22T12:00:00.000Z');
const before = (ms: number): Date => new Date(at.getTime() - ms);

function health(fields: Partial<Health> = {}): Health {
  return {
    _id: 'whk_1',
    appUid: 'app_1',
    kind: 'resources',
    url: 'https://hooks.example.com/',
    failingSince: null,
    lastExhaustedAt: null,
    notified: null,
    exhaustedNotice: null,
    ...fields,
  };
}

interface Row {
  /** Null: this is the first failure. */
  lastedMs: number | null;
  /** This failure exhausted its delivery, or an earlier one did. */
  exhausted?: 'now' | 'earlier';
  blocked?: boolean;
  notified?: Notified;
  deactivateAfterMs?: number;
  due: Notified | null;
}

const halfMs = 2.5 * dayMs;

test.each<Row>([
  { lastedMs: null, due: null },
  { lastedMs: null, exhausted: 'now', due: null },
  { lastedMs: 5 * minuteMs - 1, due: null },
  { lastedMs: null, blocked: true, due: 'failing' },
  { lastedMs: null, blocked: true, notified: 'failing', due: null },
  { lastedMs: 5 * minuteMs, due: 'failing' },
  { lastedMs: 5 * minuteMs, notified: 'failing', due: null },
  // An exhausted delivery alone does not make a webhook fail.
  { lastedMs: 5 * minuteMs - 1, exhausted: 'now', due: null },
  // A twentieth of the time to the deactivation, if that is shorter.
  { lastedMs: 3 * secondMs - 1, deactivateAfterMs: minuteMs, due: null },
  { lastedMs: 3 * secondMs, deactivateAfterMs: minuteMs, due: 'failing' },
  // Half of the time counts only once a delivery is exhausted; before, no deactivation follows.
  { lastedMs: halfMs, notified: 'failing', due: null },
  { lastedMs: halfMs - 1, exhausted: 'earlier', notified: 'failing', due: null },
  { lastedMs: halfMs, exhausted: 'earlier', notified: 'failing', due: 'deactivation_scheduled' },
  { lastedMs: halfMs, exhausted: 'now', notified: 'failing', due: 'deactivation_scheduled' },
  { lastedMs: halfMs, exhausted: 'now', notified: 'deactivation_scheduled', due: null },
  { lastedMs: 5 * dayMs - 1, exhausted: 'now', notified: 'deactivation_scheduled', due: null },
  { lastedMs: 5 * dayMs, exhausted: 'now', notified: 'deactivation_scheduled', due: 'deactivated' },
  { lastedMs: 9 * dayMs, notified: 'failing', due: null },
  { lastedMs: 5 * dayMs, exhausted: 'now', notified: 'deactivated', due: 'deactivated' },
])(
  'after $lastedMs ms of failures, exhausted $exhausted, notified $notified: $due',
  ({ lastedMs, exhausted, blocked = false, notified = null, due, ...row }) => {
    const { deactivateAfterMs = 5 * dayMs } = row;
    const webhook = health({
      failingSince: lastedMs === null ? null : before(lastedMs),
      lastExhaustedAt: exhausted === 'earlier' ? before(minuteMs) : null,
      notified,
    });
    const failure = { at, exhausted: exhausted === 'now', blocked, deactivateAfterMs };
    expect(nextNotice(webhook, failure)).toBe(due);
  },
);

test('a webhook is failing without a success for minutes, and is deactivated without one since the first failure', () => {
  const facts = { at, blocked: false, deactivateAfterMs: 5 * dayMs };
  const since = before(4 * dayMs);
  expect(quietSince('failing', since, facts)).toEqual(before(5 * minuteMs));
  expect(quietSince('deactivation_scheduled', since, facts)).toBe(since);
  expect(quietSince('deactivated', since, facts)).toBe(since);
  expect(quietSince('failing', since, { ...facts, blocked: true })).toBe(since);
});

test.each([
  ['the first', null, true],
  ['another a minute later', { at: before(minuteMs), eventId: 'evt_1', attempt: 12 }, true],
  ['another 1 ms sooner', { at: before(minuteMs - 1), eventId: 'evt_1', attempt: 12 }, false],
  ['the same an hour later', { at: before(60 * minuteMs), eventId: 'evt_2', attempt: 12 }, false],
  ['the same after a resend', { at: before(60 * minuteMs), eventId: 'evt_2', attempt: 11 }, true],
])(
  'an exhausted delivery (%s) after the notice %j is reported: %j',
  (_which, exhaustedNotice, told) => {
    const facts = { at, eventId: 'evt_2', attempt: 12 };
    expect(isExhaustedDue(health({ exhaustedNotice }), facts)).toBe(told);
  },
);

test.each<[Notified | null, Notified | null]>([
  [null, null],
  ['failing', 'failing'],
  ['deactivation_scheduled', 'failing'],
  ['deactivated', 'failing'],
])('a clock restarted after the notice %s keeps the notice %s', (notified, left) => {
  const stopped = { failingSince: null, lastExhaustedAt: null, notified: left };
  expect(restartedClock(null, notified)).toEqual(stopped);
  const running = { failingSince: at, lastExhaustedAt: at, notified: left };
  expect(restartedClock({ at, exhausted: true }, notified)).toEqual(running);
});

type Notice = { data: { uid: string; lastAttempt: object } };

test.each(operationsEventNames)('the mail of %s names its subject and misses no value', (event) => {
  const sample = sampleOf(event) as unknown as Notice;
  const { subject, text } = writeNoticeMail(JSON.stringify(sample), 'https://h.example.com');
  expect(subject).toBe(`[agent-herald] ${event} ${sample.data.uid}`);
  expect(text).not.toMatch(/undefined|NaN/);
});

const minuteAt = (minute: number): Date => new Date(Date.UTC(2026, 0, 1, 7, minute));

function row(action: string, minute: number, details: Record<string, unknown> = {}) {
  return { action, details, createdAt: minuteAt(minute) };
}

test.each([
  ['webhook.secret_rotated', {}, 'secret'],
  ['webhook.secret_promoted', {}, 'secret_promoted'],
  ['webhook.changed', { urlOrigin: 'https://a.example' }, 'url'],
  ['webhook.changed', { authType: null }, 'auth'],
  ['webhook.changed', { headerNames: ['x'] }, 'headers'],
  ['webhook.changed', { tlsFingerprint256: null }, 'tls'],
])('%s of %j may make a receiver refuse requests: %s', (action, details, what) => {
  expect(latestChange([row(action, 1, details)], null)).toEqual({ what, at: minuteAt(1) });
});

test.each([
  ['webhook.changed', { active: true }],
  ['webhook.changed', { events: null, name: 'A' }],
  ['webhook.tested', {}],
  ['webhook.created', { urlOrigin: 'https://a.example' }],
])('%s of %j does not', (action, details) => {
  expect(latestChange([row(action, 1, details)], null)).toBeNull();
});

test('the latest change counts, also the end of an old secret', () => {
  const rows = [row('webhook.changed', 1, { urlOrigin: 'x' }), row('webhook.secret_rotated', 3)];
  expect(latestChange(rows, null)?.what).toBe('secret');
  expect(latestChange(rows, minuteAt(2))?.what).toBe('secret');
  expect(latestChange(rows, minuteAt(4))).toEqual({
    what: 'previous_secret_ended',
    at: minuteAt(4),
  });
});

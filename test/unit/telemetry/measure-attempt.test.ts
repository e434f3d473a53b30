// The metrics of attempts: a table of outcomes, and one of due times.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dueOf, measureAttempt } from '../../../lib/deliveries/report-attempt.ts';
import type { Attempt } from '../../../lib/model/attempt.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import type { EventToAttempt } from '../../../lib/model/event.ts';
import { idAt } from '../../../lib/platform/ids.ts';
import { type Metrics, startMetrics } from '../../support/metrics.ts';

const eventAt = new Date('2026-01-01T00:00:00Z');
const at = new Date('2026-01-01T00:00:02Z');
const dueAt = new Date('2026-01-01T00:00:01Z');
const event = { _id: idAt('evt', eventAt), order: [], sequence: 1 } as unknown as EventToAttempt;
const webhook = { _id: 'whk_1', ratePerSecond: null };
const retrying = {
  state: 'retrying',
  jobUid: null,
  nextAttemptAt: dueAt,
  requeuedAt: null,
} as DeliveryDocument;
const success: Attempt = {
  n: 1,
  at,
  ms: { connect: 3, firstByte: 20, total: 40 },
  status: 200,
  errorClass: null,
  detail: null,
  responseSample: '',
  address: null,
  trigger: 'event',
  state: 'delivered',
};
const failure = { ...success, state: 'retrying', status: null } as const;

let metrics: Metrics;

beforeAll(async () => {
  metrics = await startMetrics();
});

afterAll(async () => {
  await metrics?.[Symbol.asyncDispose]();
});

const attemptsName = 'herald_delivery_attempts_total';

test.each<{ made: Partial<Attempt>; delivery?: Partial<DeliveryDocument>; labels: object }>([
  { made: success, labels: { attempt: '1', state: 'delivered' } },
  { made: { n: 3 }, delivery: {}, labels: { attempt: '3', state: 'delivered' } },
  { made: { n: 4 }, delivery: {}, labels: { attempt: '4+', state: 'delivered' } },
  { made: { n: 21 }, delivery: {}, labels: { attempt: '4+', state: 'delivered' } },
  {
    made: { ...failure, errorClass: 'timeout' },
    labels: { attempt: '1', state: 'retrying', error_type: 'timeout' },
  },
  {
    made: { ...failure, status: 500, errorClass: 'status' },
    labels: { attempt: '1', state: 'retrying', error_type: 'status' },
  },
  {
    made: { ...failure, n: 2, state: 'exhausted', errorClass: 'dns' },
    delivery: {},
    labels: { attempt: '2', state: 'exhausted', error_type: 'dns' },
  },
  {
    made: { ...failure, state: 'blocked', errorClass: 'blocked' },
    labels: { attempt: '1', state: 'blocked', error_type: 'blocked' },
  },
])('$made.n, $made.state, $made.errorClass is counted with $labels', async (row) => {
  const labels = row.labels as Record<string, string>;
  const before = await metrics.read();
  const attempt = { ...success, ...row.made };
  const delivery = row.delivery === undefined ? null : { ...retrying, ...row.delivery };
  measureAttempt({ event, webhook, delivery, attempt, readyAt: attempt.at });
  const after = await metrics.read();
  const gained = (name: string, of = {}): number => after.value(name, of) - before.value(name, of);
  expect(gained(attemptsName, labels)).toBe(1);
  expect(gained(attemptsName)).toBe(1);
  expect(gained('herald_delivery_attempt_duration_seconds')).toBe(1);
  expect(gained('herald_delivery_attempt_phase_duration_seconds')).toBe(2);
  const receipt = 'herald_delivery_change_to_receipt_duration_seconds';
  expect(gained(receipt)).toBe(attempt.state === 'delivered' ? 1 : 0);
});

test('a requeued delivery has no time from change to receipt', async () => {
  const before = await metrics.read();
  const delivery = { ...retrying, requeuedAt: dueAt };
  measureAttempt({ event, webhook, delivery, attempt: { ...success, n: 2 }, readyAt: success.at });
  const after = await metrics.read();
  const receipt = 'herald_delivery_change_to_receipt_duration_seconds';
  expect(after.value(receipt)).toBe(before.value(receipt));
  expect(after.value(attemptsName)).toBe(before.value(attemptsName) + 1);
});

test.each<{ of: string; made: Partial<Parameters<typeof dueOf>[0]>; due: Date | null }>([
  { of: 'a first attempt: with its event', made: { delivery: null }, due: eventAt },
  {
    of: 'the first attempt of a notice, which the relay starts some seconds later: unknown',
    made: { event: { ...event, event: 'delivery.exhausted' } },
    due: null,
  },
  {
    of: 'its retry: when it was due',
    made: { event: { ...event, event: 'delivery.exhausted' }, delivery: retrying },
    due: dueAt,
  },
  { of: 'a retry: when it was due', made: { delivery: retrying }, due: dueAt },
  {
    of: 'a delivery of a job: unknown',
    made: { delivery: { ...retrying, jobUid: 'job_1' } },
    due: null,
  },
  {
    of: 'a throttled or rate-limited delivery: unknown',
    made: { delivery: { ...retrying, state: 'pending' } },
    due: null,
  },
  {
    of: 'a webhook with a rate: unknown',
    made: { webhook: { ...webhook, ratePerSecond: 5 } },
    due: null,
  },
  {
    of: 'in order: unknown',
    made: { event: { ...event, order: [{ webhookUid: 'whk_1', n: 1 }] } },
    due: null,
  },
])('due is $of', ({ made, due }) => {
  expect(dueOf({ event, webhook, delivery: null, ...made })).toEqual(due);
});

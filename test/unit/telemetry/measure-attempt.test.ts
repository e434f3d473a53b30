// The metrics of attempts: a table of outcomes, and one of due times.
import { dueOf, measureAttempt } from '../../../lib/deliveries/measure-attempt.ts';
import type { Attempt } from '../../../lib/model/attempt.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import type { EventToAttempt } from '../../../lib/model/event.ts';
import { idAt } from '../../../lib/platform/ids.ts';
import { instruments } from '../../../lib/telemetry/instruments.ts';
import { newAttempt } from '../../support/fixtures.ts';
import { type Metrics, startMetrics } from '../../support/metrics.ts';

const eventAt = new Date('2026-01-01T00:00:00Z');
const at = new Date('2026-01-01T00:00:02Z');
const dueAt = new Date('2026-01-01T00:00:01Z');
const event = { _id: idAt('evt', eventAt), order: [], sequence: 1 } as unknown as EventToAttempt;
const webhook = { _id: 'whk_1', ratePerSecond: null, ratePerSecondPerTenant: null };
const retrying = {
  state: 'retrying',
  jobUid: null,
  nextAttemptAt: dueAt,
  requeuedAt: null,
} as DeliveryDocument;
const success = newAttempt(at, { ms: { connect: 3, firstByte: 20, total: 40 } });
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
  {
    made: { ...failure, status: 500, errorClass: 'status' },
    labels: { attempt: '1', state: 'retrying', error_type: 'status' },
  },
  {
    made: { ...failure, n: 2, state: 'exhausted', errorClass: 'dns' },
    delivery: {},
    labels: { attempt: '2', state: 'exhausted', error_type: 'dns' },
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

const notice = { ...event, event: 'delivery.exhausted' } as const;

test.each<[string, Partial<Parameters<typeof dueOf>[0]>, Date | null]>([
  ['a first attempt: with its event', { delivery: null }, eventAt],
  ['the first attempt of a notice, which the relay starts later: unknown', { event: notice }, null],
  ['its retry: when it was due', { event: notice, delivery: retrying }, dueAt],
  ['a retry: when it was due', { delivery: retrying }, dueAt],
  ['a delivery of a job: unknown', { delivery: { ...retrying, jobUid: 'job_1' } }, null],
  ['a throttled delivery: unknown', { delivery: { ...retrying, state: 'pending' } }, null],
  ['a webhook with a rate: unknown', { webhook: { ...webhook, ratePerSecond: 5 } }, null],
  ['in order: unknown', { event: { ...event, order: [{ webhookUid: 'whk_1', n: 1 }] } }, null],
])('due is %s', (_of, made, due) => {
  expect(dueOf({ event, webhook, delivery: null, ...made })).toEqual(due);
});

afterEach(() => void jest.restoreAllMocks());

interface Row {
  delivery?: Partial<DeliveryDocument>;
  ratePerSecond?: number;
  permitMs?: number;
}

test.each<[string, Row, object]>([
  ['a first attempt right away', {}, {}],
  ['one that waited 50 ms for a permit', { permitMs: 50 }, { waited: 'yes' }],
  ['one that waited 49 ms for a permit', { permitMs: 49 }, {}],
  ['a retry', { delivery: {} }, {}],
  ['one of a webhook with a rate', { ratePerSecond: 5 }, { waited: 'yes' }],
  ['one that was held', { delivery: { state: 'pending', jobUid: 'job_1' } }, { waited: 'yes' }],
])('of %s the arrival has %o', (_, { delivery, ratePerSecond = null, permitMs = 0 }, waited) => {
  const record = jest.spyOn(instruments.changeToReceipt, 'record');
  measureAttempt({
    event: { ...event, _id: idAt('evt', at) },
    webhook: { ...webhook, ratePerSecond },
    delivery: delivery === undefined ? null : { ...retrying, nextAttemptAt: at, ...delivery },
    attempt: success,
    readyAt: new Date(at.getTime() - permitMs),
  });
  expect(record.mock.lastCall?.[1]).toEqual({ attempt: 1, ...waited });
});

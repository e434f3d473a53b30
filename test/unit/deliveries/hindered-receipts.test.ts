// Only deliveries that had nothing to wait for count towards the latency objective.
import { afterEach, expect, test, vi } from 'vitest';
import { measureAttempt } from '../../../lib/deliveries/report-attempt.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import type { EventToAttempt } from '../../../lib/model/event.ts';
import { idAt } from '../../../lib/platform/ids.ts';
import { instruments } from '../../../lib/telemetry/instruments.ts';

const at = new Date('2026-01-01T00:00:02Z');
const event = { _id: idAt('evt', at), order: [], sequence: 1 } as unknown as EventToAttempt;
const attempt = {
  n: 1,
  at,
  ms: { total: 40 },
  status: 200,
  errorClass: null,
  detail: null,
  responseSample: '',
  address: null,
  trigger: 'event',
  state: 'delivered',
} as const;
const delivery = { jobUid: null, nextAttemptAt: at, requeuedAt: null };

afterEach(() => {
  vi.restoreAllMocks();
});

interface Row {
  delivery: object | null;
  ratePerSecond: number | null;
  permitMs?: number;
}

test.each<[string, Row, object]>([
  ['a first attempt right away', { delivery: null, ratePerSecond: null }, {}],
  [
    'one that waited 50 ms for a permit',
    { delivery: null, ratePerSecond: null, permitMs: 50 },
    { waited: 'yes' },
  ],
  ['one that waited 49 ms for a permit', { delivery: null, ratePerSecond: null, permitMs: 49 }, {}],
  ['a retry', { delivery: { ...delivery, state: 'retrying' }, ratePerSecond: null }, {}],
  ['one of a webhook with a rate', { delivery: null, ratePerSecond: 5 }, { waited: 'yes' }],
  [
    'one that was held',
    { delivery: { ...delivery, state: 'pending', jobUid: 'job_1' }, ratePerSecond: null },
    { waited: 'yes' },
  ],
])('of %s the arrival has %o', (_, { delivery, ratePerSecond, permitMs = 0 }: Row, waited) => {
  const record = vi.spyOn(instruments.changeToReceipt, 'record');
  measureAttempt({
    event,
    webhook: { _id: 'whk_1', ratePerSecond },
    delivery: delivery as DeliveryDocument | null,
    attempt,
    readyAt: new Date(attempt.at.getTime() - permitMs),
  });
  expect(record.mock.lastCall?.[1]).toEqual({ attempt: 1, ...waited });
});

// What counts as true in a delivery's document in the soaks, and each kind of lie.
import { expect, test } from 'vitest';
import { judgeDeliveries, type Records, type RunFacts } from '../../soak/judge-deliveries.ts';

type Delivery = Records['deliveries'][number];

const readAtMs = Date.UTC(2026, 0, 1);
const attemptsMax = 3;

const madeOf = (made: Partial<Delivery>): Delivery => ({
  eventId: 'evt_1',
  webhookUid: 'whk_1',
  externalTenantId: 'tenant-1',
  state: 'delivered',
  cancelReason: null,
  nextAttemptAt: null,
  attempts: [],
  ...made,
});

const attempted = (...statuses: (number | null)[]): Pick<Delivery, 'attempts'> => ({
  attempts: statuses.map((status) => ({ status })),
});

interface Case {
  delivery?: Partial<Delivery>;
  /** The response statuses of the receiver. */
  given?: readonly number[];
  causesOf?: RunFacts['causesOf'];
}

function judged({ delivery, given = [], causesOf }: Case) {
  const records = {
    events: [{ _id: 'evt_1', webhookUids: ['whk_1'] }],
    deliveries: delivery === undefined ? [] : [madeOf(delivery)],
    readAtMs,
  };
  const receipts = given.map((status) => ({ atMs: 0, eventId: 'evt_1', hook: 1, status }));
  const facts = { receipts, webhookUids: ['whk_0', 'whk_1'], attemptsMax };
  return judgeDeliveries(records, causesOf === undefined ? facts : { ...facts, causesOf });
}

const dueIn = (ms: number): Date => new Date(readAtMs + ms);
const ofTenant1 =
  (cause: 'erased' | 'expired' | 'paused'): RunFacts['causesOf'] =>
  ({ externalTenantId }) =>
    externalTenantId === 'tenant-1' ? [cause] : [];

test.each<[string, Case]>([
  ['delivered, with a 2xx', { delivery: attempted(204), given: [204] }],
  ['delivered after a refusal', { delivery: attempted(500, 200), given: [500, 200] }],
  ['delivered again after a 2xx that nobody read', { delivery: attempted(200), given: [200, 200] }],
  ['exhausted, each attempt refused', { delivery: { state: 'exhausted' }, given: [500, 503, 500] }],
  ['exhausted by a 410', { delivery: { state: 'exhausted' }, given: [410] }],
  [
    'cancelled for what the run did',
    { delivery: { state: 'cancelled', cancelReason: 'erased' }, causesOf: ofTenant1('erased') },
  ],
  ['held by a pause of the run', { delivery: { state: 'held' }, causesOf: ofTenant1('paused') }],
])('%s, is true', (_name, each) => {
  expect(judged(each)).toEqual({ untrue: [], due: 0 });
});

test.each<[string, Case, string]>([
  ['no document, even if it was received', { given: [200] }, 'no document'],
  ['delivered, and never received', { delivery: attempted(200) }, 'delivered, responses: none'],
  [
    'delivered, and only refused',
    { delivery: attempted(200), given: [199, 300, 500] },
    'delivered, responses: 199,300,500',
  ],
  [
    'delivered, without an attempt of its own that got a 2xx',
    { delivery: attempted(199, 300, null), given: [200] },
    'delivered, responses: 200',
  ],
  [
    'delivered twice, and received once',
    { delivery: attempted(200, 200), given: [500, 200] },
    'delivered, responses: 500,200',
  ],
  [
    'exhausted, with an attempt left',
    { delivery: { state: 'exhausted' }, given: [500, 500] },
    'exhausted, responses: 500,500',
  ],
  [
    'exhausted, and accepted among its attempts',
    { delivery: { state: 'exhausted' }, given: [500, 200, 500] },
    'exhausted, responses: 500,200,500',
  ],
  ['blocked', { delivery: { state: 'blocked' } }, 'blocked, responses: none'],
  [
    'cancelled for nothing',
    { delivery: { state: 'cancelled', cancelReason: 'webhook_deleted' } },
    'cancelled webhook_deleted, responses: none',
  ],
  [
    'cancelled for something else than the run did',
    { delivery: { state: 'cancelled', cancelReason: 'erased' }, causesOf: ofTenant1('expired') },
    'cancelled erased, responses: none',
  ],
  [
    'cancelled for what the run did to others',
    {
      delivery: { state: 'cancelled', cancelReason: 'erased', externalTenantId: 'tenant-2' },
      causesOf: ofTenant1('erased'),
    },
    'cancelled erased, responses: none',
  ],
  [
    'cancelled without a reason',
    { delivery: { state: 'cancelled' }, causesOf: ofTenant1('erased') },
    'cancelled, responses: none',
  ],
  ['held by nobody', { delivery: { state: 'held' } }, 'held, responses: none'],
  ['pending, with nothing due', { delivery: { state: 'pending' } }, 'pending, responses: none'],
  [
    'retrying, with nothing due',
    { delivery: { state: 'retrying' }, given: [500] },
    'retrying, responses: 500',
  ],
])('%s, is a lie', (_name, each, lie) => {
  expect(judged(each)).toEqual({ untrue: [`evt_1/whk_1 ${lie}`], due: 0 });
});

test.each(['retrying', 'pending'] as const)(
  'an attempt of a delivery that is %s may be due later, or since up to 10 s',
  (state) => {
    for (const ms of [60_000, 0, -10_000]) {
      expect(judged({ delivery: { state, nextAttemptAt: dueIn(ms) } })).toEqual({
        untrue: [],
        due: 1,
      });
    }
    expect(judged({ delivery: { state, nextAttemptAt: dueIn(-10_001) } })).toEqual({
      untrue: [`evt_1/whk_1 ${state} 2025-12-31T23:59:49.999Z, responses: none`],
      due: 0,
    });
  },
);

test('a delivery is judged by its own receiver and event', () => {
  const records = {
    events: [
      { _id: 'evt_1', webhookUids: ['whk_0', 'whk_1'] },
      { _id: 'evt_2', webhookUids: ['whk_1'] },
    ],
    deliveries: [
      madeOf({ ...attempted(200), webhookUid: 'whk_0' }),
      madeOf({ ...attempted(200), webhookUid: 'whk_1' }),
      madeOf({ ...attempted(200), webhookUid: 'whk_1', eventId: 'evt_2' }),
    ],
    readAtMs,
  };
  const receipts = [{ atMs: 0, eventId: 'evt_1', hook: 0, status: 200 }];
  const { untrue } = judgeDeliveries(records, { receipts, webhookUids: ['whk_0', 'whk_1'] });
  expect(untrue).toEqual([
    'evt_1/whk_1 delivered, responses: none',
    'evt_2/whk_1 delivered, responses: none',
  ]);
});

test('an acknowledged event must be recorded, even without a webhook', () => {
  const records = { events: [{ _id: 'evt_1', webhookUids: [] }], deliveries: [], readAtMs };
  const facts = { receipts: [], webhookUids: [], acknowledged: ['evt_1', 'evt_2'] };
  expect(judgeDeliveries(records, facts)).toEqual({
    untrue: ['evt_2 acknowledged, and not recorded'],
    due: 0,
  });
});

test('an exhausted delivery of the default schedule has had twelve refusals', () => {
  const records = {
    events: [{ _id: 'evt_1', webhookUids: ['whk_1'] }],
    deliveries: [madeOf({ state: 'exhausted' })],
    readAtMs,
  };
  const refused = (times: number): RunFacts => ({
    receipts: Array.from({ length: times }, () => ({
      atMs: 0,
      eventId: 'evt_1',
      hook: 0,
      status: 500,
    })),
    webhookUids: ['whk_1'],
  });
  expect(judgeDeliveries(records, refused(12)).untrue).toEqual([]);
  expect(judgeDeliveries(records, refused(11)).untrue).toHaveLength(1);
});

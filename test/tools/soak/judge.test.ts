// What counts as true in a delivery's document in the soaks, each kind of lie, and what counts as overtaken.
import {
  judgeDeliveries,
  outOfOrder,
  type Records,
  type RunFacts,
} from '../../soak/judge-deliveries.ts';

type Delivery = Records['deliveries'][number];

const readAtMs = Date.UTC(2026, 0, 1);

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
const receiptsOf = (statuses: readonly number[], hook = 1) =>
  statuses.map((status) => ({ atMs: 0, eventId: 'evt_1', hook, status }));

/** The delivery if there is one, the response statuses of the receiver, and what the run did to tenant 1. */
type Case = [delivery: Partial<Delivery> | null, given: number[], cause?: 'erased' | 'paused'];

function judged([delivery, given, cause]: Case) {
  const records = {
    events: [{ _id: 'evt_1', webhookUids: ['whk_1'] }],
    deliveries: delivery === null ? [] : [madeOf(delivery)],
    readAtMs,
  };
  const causesOf: RunFacts['causesOf'] = ({ externalTenantId }) =>
    cause !== undefined && externalTenantId === 'tenant-1' ? [cause] : [];
  const receipts = receiptsOf(given);
  const facts = { receipts, webhookUids: ['whk_0', 'whk_1'], attemptsMax: 3, causesOf };
  return judgeDeliveries(records, facts);
}

const exhausted = { state: 'exhausted' } as const;
const erased = { state: 'cancelled', cancelReason: 'erased' } as const;

test.each<[string, Case]>([
  ['delivered, with a 2xx', [attempted(204), [204]]],
  ['delivered after a refusal', [attempted(500, 200), [500, 200]]],
  ['delivered again after a 2xx that nobody read', [attempted(200), [200, 200]]],
  ['exhausted, each attempt refused', [exhausted, [500, 503, 500]]],
  ['exhausted by a 410', [exhausted, [410]]],
  ['cancelled for what the run did', [erased, [], 'erased']],
  ['held by a pause of the run', [{ state: 'held' }, [], 'paused']],
])('%s, is true', (_name, each) => {
  expect(judged(each)).toEqual({ untrue: [], due: 0 });
});

test.each<[string, Case, string]>([
  ['no document, even if it was received', [null, [200]], 'no document'],
  ['delivered, and never received', [attempted(200), []], 'delivered, responses: none'],
  ['delivered, and only refused', [attempted(200), [199, 300]], 'delivered, responses: 199,300'],
  ['delivered, no attempt got 2xx', [attempted(199, null), [200]], 'delivered, responses: 200'],
  ['twice, received once', [attempted(200, 200), [500, 200]], 'delivered, responses: 500,200'],
  ['exhausted, an attempt left', [exhausted, [500, 500]], 'exhausted, responses: 500,500'],
  ['exhausted, yet accepted', [exhausted, [500, 200, 500]], 'exhausted, responses: 500,200,500'],
  ['blocked', [{ state: 'blocked' }, []], 'blocked, responses: none'],
  ['cancelled for something else', [erased, [], 'paused'], 'cancelled erased, responses: none'],
  [
    'cancelled for what the run did to others',
    [{ ...erased, externalTenantId: 'tenant-2' }, [], 'erased'],
    'cancelled erased, responses: none',
  ],
  ['without a reason', [{ state: 'cancelled' }, [], 'erased'], 'cancelled, responses: none'],
  ['held by nobody', [{ state: 'held' }, []], 'held, responses: none'],
  ['pending, with nothing due', [{ state: 'pending' }, []], 'pending, responses: none'],
  ['retrying, with nothing due', [{ state: 'retrying' }, [500]], 'retrying, responses: 500'],
])('%s, is a lie', (_name, each, lie) => {
  expect(judged(each)).toEqual({ untrue: [`evt_1/whk_1 ${lie}`], due: 0 });
});

test('an attempt of an open delivery may be due later, or since up to 10 s', () => {
  const dueIn = (ms: number): Case => [
    { state: 'retrying', nextAttemptAt: new Date(readAtMs + ms) },
    [],
  ];
  for (const ms of [60_000, -10_000]) expect(judged(dueIn(ms))).toEqual({ untrue: [], due: 1 });
  expect(judged(dueIn(-10_001))).toEqual({
    untrue: ['evt_1/whk_1 retrying 2025-12-31T23:59:49.999Z, responses: none'],
    due: 0,
  });
});

test('a delivery is judged by its own receiver and event', () => {
  const deliveries = [
    madeOf({ ...attempted(200), webhookUid: 'whk_0' }),
    madeOf(attempted(200)),
    madeOf({ ...attempted(200), eventId: 'evt_2' }),
  ];
  const events = [
    { _id: 'evt_1', webhookUids: ['whk_0', 'whk_1'] },
    { _id: 'evt_2', webhookUids: ['whk_1'] },
  ];
  const facts = { receipts: receiptsOf([200], 0), webhookUids: ['whk_0', 'whk_1'] };
  expect(judgeDeliveries({ events, deliveries, readAtMs }, facts).untrue).toEqual([
    'evt_1/whk_1 delivered, responses: none',
    'evt_2/whk_1 delivered, responses: none',
  ]);
});

test('an acknowledged event must be recorded, even without a webhook', () => {
  const records = { events: [{ _id: 'evt_1', webhookUids: [] }], deliveries: [], readAtMs };
  const facts = { receipts: [], webhookUids: [], acknowledged: ['evt_1', 'evt_2'] };
  const untrue = ['evt_2 acknowledged, and not recorded'];
  expect(judgeDeliveries(records, facts)).toEqual({ untrue, due: 0 });
});

const both = ['b agent/agt_1', 'c agent/agt_1'];

test.each<[string, Record<string, number>, Record<string, number>, string[]]>([
  ['in the millisecond of the 2xx of the earlier one', { a: 10, b: 20 }, { a: 20, b: 40 }, []],
  ['before that 2xx', { a: 10, b: 19 }, { a: 20, b: 40 }, ['b agent/agt_1']],
  ['after an earlier one that never had a 2xx', { a: 10, b: 11 }, { b: 12 }, []],
  ['never', { a: 10 }, { a: 20 }, []],
  ['before it, like a third', { a: 1, b: 2, c: 3, d: 4 }, { a: 9, b: 2 }, both],
])('an event that arrived %s is judged', (...row) => {
  const [, first, firstTaken, overtaken] = row;
  const timesOf = (times: Record<string, number>) =>
    new Map(Object.entries(times).map(([id, atMs]) => [`${id}/whk_0`, atMs]));
  const events = ['d', 'c', 'b', 'a'].map((_id, index) => {
    const resourceUid = _id === 'd' ? 'agt_2' : 'agt_1';
    return { _id, sequence: 4 - index, entity: 'agent', resourceUid } as const;
  });
  const times = { first: timesOf(first), firstTaken: timesOf(firstTaken), orderedUid: 'whk_0' };
  expect(outOfOrder(events, times)).toEqual(overtaken);
});

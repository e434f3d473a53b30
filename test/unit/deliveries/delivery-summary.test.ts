// The result of a workflow, and the Markdown under Current Details in Temporal's UI.
import type {
  DeliveryOutcome,
  DeliveryReport,
  Ending,
  LaterOutcome,
} from '../../../lib/model/delivery-outcome.ts';
import {
  describeDeliveries,
  describePages,
  type OpenDelivery,
} from '../../../lib/temporal/current-details.ts';
import {
  addSummaries,
  stateOf,
  summarizeOutcomes,
} from '../../../lib/temporal/delivery-summary.ts';
import { attemptLimits, dispatchLimits } from '../../../lib/limits.ts';
import type { DeliverySummary } from '../../../lib/temporal/messages.ts';

const at = '2026-03-01T12:00:00.000Z';

const report: DeliveryReport = {
  eventId: 'evt_1',
  webhookUid: 'whk_1',
  attemptCount: 1,
  status: 200,
  errorClass: null,
  host: 'hooks.example.com',
  attemptsMax: 9,
  attempts: [{ n: 1, at, ms: 12, status: 200 }],
};

const endings: Record<DeliveryOutcome['state'], Ending> = {
  delivered: { state: 'delivered' },
  exhausted: { state: 'exhausted' },
  blocked: { state: 'blocked' },
  cancelled: { state: 'cancelled' },
  held: { state: 'held' },
  later: { state: 'later', why: 'retry', at },
  continued: { state: 'continued', continuesIn: 'job/job_1/2' },
};

function outcome({
  state = 'delivered',
  ...fields
}: Partial<DeliveryReport> & { state?: DeliveryOutcome['state'] }): DeliveryOutcome {
  return { ...report, ...fields, ...endings[state] };
}

const later = (fields: Partial<DeliveryReport>): LaterOutcome => ({
  ...report,
  ...fields,
  state: 'later',
  why: 'retry',
  at,
});

const rowsOf = (details: string): string[] =>
  details.split('\n').filter((line) => line.startsWith('- '));

test('a row shows receiver, attempt, result and next attempt or workflow; failed and retried ones come first', () => {
  const timeout = later({ status: null, errorClass: 'timeout' });
  const open: OpenDelivery[] = [
    { eventId: 'evt_1', webhookUid: 'whk_1', state: 'delivering' },
    timeout,
    { ...timeout, isFirst: true },
    { ...timeout, attemptCount: 0, why: 'rateLimited' },
  ];
  const ended = [
    outcome({}),
    outcome({ state: 'continued' }),
    outcome({ state: 'held', attempts: [] }),
    outcome({ state: 'exhausted' }),
  ];
  expect(describeDeliveries(summarizeOutcomes(ended, true), open).split('\n')).toEqual([
    '**8 deliveries: 1 failed, 1 delivering, 2 retrying, 1 rate-limited, 1 delivered, 1 held, 1 continued**',
    '',
    '- **exhausted**: attempt 1 at hooks.example.com: status 200 in 12 ms; evt_1 to whk_1',
    `- **retrying**: attempt 1 of 9 at hooks.example.com: no response (timeout); next at ${at}; evt_1 to whk_1`,
    `- **retrying**: after attempt 1 of 9 at hooks.example.com: no response (timeout); retries from ${at}; evt_1 to whk_1`,
    `- **rate-limited**: at hooks.example.com; next at ${at}; evt_1 to whk_1`,
    '- **delivering**: evt_1 to whk_1',
    '- **continued**: continues in job/job_1/2; evt_1 to whk_1',
    '- **delivered**: attempt 1 at hooks.example.com: status 200 in 12 ms; evt_1 to whk_1',
    '- **held**: at hooks.example.com; evt_1 to whk_1',
  ]);
});

test('a list of 80 long rows stays below 20,000 bytes, and has no more rows', () => {
  const long = (index: number): LaterOutcome =>
    later({
      eventId: `evt_${String(index).padStart(26, '0')}`,
      webhookUid: `whk_${'0'.repeat(26)}`,
      host: `${'h'.repeat(240)}.example.com:65535`,
      status: null,
      errorClass: 'too_large',
      attemptsMax: 21,
    });
  const all = Array.from({ length: 81 }, (_none, index) => long(index));
  const continuesIn = `order/whk_${'0'.repeat(26)}/contextfile/${'界'.repeat(200)}`;
  const waiting = all
    .slice(21)
    .map((each) => ({ ...each, state: 'continued', continuesIn }) as const);
  const details = describeDeliveries(summarizeOutcomes(waiting), all.slice(0, 21));
  expect(rowsOf(details)).toHaveLength(80);
  expect(Buffer.byteLength(details)).toBeLessThan(20_000);
  expect(details).toContain('The list shows 80 of 81 deliveries.');
});

test('a job has a row for each workflow of its pages, latest first', () => {
  const page = (n: number) => ({ workflowId: `job/job_1/${n}`, deliveries: n });
  expect(describePages(3, [page(1), page(3)]).split('\n')).toEqual([
    '**Page 3: 4 deliveries sent again**',
    '',
    '- 3 deliveries: job/job_1/3',
    '- 1 delivery: job/job_1/1',
  ]);
  expect(describePages(1, [])).toBe('**Page 1: 0 deliveries sent again**');
});

const { attemptsShownMax } = attemptLimits;
const { idsPerSearchAttributeMax } = dispatchLimits;

/** The outcome of a delivery with `count` attempts, possibly 0. */
function attempted(eventId: string, state: DeliveryOutcome['state'], count: number) {
  const attempts = Array.from({ length: count }, (_none, index) => ({
    n: index + 1,
    at,
    ms: 12,
    status: 500,
  }));
  return outcome({ eventId, state, attemptCount: count, status: 500, attempts });
}

const many = (count: number, state: DeliveryOutcome['state'], attempts: number) =>
  Array.from({ length: count }, (_none, index) => attempted(`evt_${index}`, state, attempts));

const shownBy = ({ shown }: DeliverySummary): string[] =>
  shown.map(({ eventId, attempts = [] }) => `${eventId}: ${attempts.length}`);

test('a workflow that does not show every delivery shows failed and retried ones', () => {
  const summary = summarizeOutcomes([
    attempted('evt_1', 'delivered', 1),
    attempted('evt_2', 'delivered', 2),
    attempted('evt_3', 'held', 0),
    attempted('evt_4', 'exhausted', 1),
  ]);
  expect(summary).toMatchObject({ deliveries: 4, delivered: 2, held: 1, failedCount: 1 });
  expect(shownBy(summary)).toEqual(['evt_4: 1', 'evt_2: 2']);
});

test('failed deliveries come first, however late they fail', () => {
  const before = summarizeOutcomes([attempted('evt_1', 'delivered', 1)], true);
  const after = summarizeOutcomes([attempted('evt_2', 'blocked', 1)], true);
  expect(shownBy(addSummaries(before, after))).toEqual(['evt_2: 1', 'evt_1: 1']);
});

test(`up to ${idsPerSearchAttributeMax} failed deliveries are shown`, () => {
  const all = summarizeOutcomes(many(idsPerSearchAttributeMax, 'exhausted', 1));
  expect(all.shown).toHaveLength(idsPerSearchAttributeMax);
  const more = addSummaries(all, summarizeOutcomes([attempted('evt_more', 'exhausted', 1)]));
  expect(more.shown).toEqual(all.shown);
  expect(more.failedCount).toBe(idsPerSearchAttributeMax + 1);
});

test(`beyond ${attemptsShownMax} attempts in total, only the last attempt of each delivery is shown`, () => {
  const full = summarizeOutcomes(many(3, 'exhausted', 20));
  expect(shownBy(full)).toEqual(['evt_0: 20', 'evt_1: 20', 'evt_2: 20']);
  const { shown } = addSummaries(full, summarizeOutcomes([attempted('evt_3', 'exhausted', 2)]));
  expect(shown.at(-1)).toMatchObject({ eventId: 'evt_3', attempts: [{ n: 2 }] });
});

type Outcomes = DeliveryOutcome['state'][];

test.each<[outcomes: Outcomes, state: string | null]>([
  [['exhausted', 'blocked', 'later'], 'failed'],
  [['exhausted', 'continued', 'delivered'], 'partial'],
  [['continued', 'held', 'delivered'], 'continued'],
  [['held', 'cancelled', 'delivered'], 'held'],
  [['cancelled', 'delivered'], 'delivered'],
  [['cancelled'], 'cancelled'],
  [[], null],
])('the counts of %j add up, and the state is %s', (outcomes, state) => {
  const summary = outcomes
    .map((each) => summarizeOutcomes([outcome({ state: each })]))
    .reduce(addSummaries, summarizeOutcomes([]));
  const { deliveries, shown: _, ...counts } = summary;
  expect(Object.values(counts).reduce((sum, count) => sum + count)).toBe(deliveries);
  expect(stateOf(summary)).toBe(state);
});

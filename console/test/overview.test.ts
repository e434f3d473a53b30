// The overview: causes of failures, and statistics.
import type { Webhook, WebhookFailure } from '@agent-herald/client';
import { causesOf } from '../src/pages/overview/causes.ts';
import {
  formatCapped,
  formatHeld,
  formatShare,
  sentenceOf,
  successShare,
  trailText,
} from '../src/statistics/outcomes.ts';
import { trailGroups } from '../src/pages/webhooks/trail-groups.ts';
import { formatPoint, isLongerThanDay, isRange, sinceOf } from '../src/statistics/ranges.ts';

type Latest = NonNullable<WebhookFailure['latest']>;

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 7, minute)).toISOString();

function webhook(uid: string, url = 'https://hooks.example/x'): Webhook {
  return { uid, url } as unknown as Webhook;
}

function failed(
  webhookUid: string,
  latest: Partial<Latest> | null,
  fields: Partial<WebhookFailure> = {},
): WebhookFailure {
  const base = { eventId: 'evt_1', at: at(30), status: null, errorClass: null, detail: null };
  const whole = latest === null ? null : { ...base, ...latest };
  return { webhookUid, failingSince: at(15), latest: whole, change: null, ...fields };
}

const refused = { errorClass: 'status', status: 401 } as const;
const connect = { errorClass: 'connect' } as const;

test('equal responses are one cause, whoever sends them; the largest group comes first', () => {
  const webhooks = [webhook('a', 'https://one.example/'), webhook('b'), webhook('c')];
  const causes = causesOf(
    [
      failed('a', refused),
      failed('b', { errorClass: 'status', status: 500 }),
      failed('c', refused),
    ],
    webhooks,
  );
  expect(causes.map(({ title, webhooks: all }) => [title, all.map(({ uid }) => uid)])).toEqual([
    ['The receiver responded with 401', ['a', 'c']],
    ['The receiver responded with 500', ['b']],
  ]);
});

test('a host that cannot be reached is a cause of its own, with its port', () => {
  const webhooks = [
    webhook('a', 'https://one.example:8443/a'),
    webhook('b', 'https://one.example:8443/b'),
    webhook('c', 'https://one.example/'),
  ];
  const causes = causesOf(
    [failed('a', connect), failed('b', connect), failed('c', connect)],
    webhooks,
  );
  expect(causes.map(({ title }) => title)).toEqual([
    'The service could not connect to the receiver: one.example:8443',
    'The service could not connect to the receiver: one.example',
  ]);
});

test('a cause shows the detail that is known, and leads to the failed delivery', () => {
  const detail = 'the certificate of the receiver is self-signed';
  const [cause] = causesOf([failed('a', { errorClass: 'tls', detail })], [webhook('a')]);
  expect(cause).toMatchObject({
    title: 'The certificate of the receiver is self-signed: hooks.example',
    failed: { eventId: 'evt_1', webhookUid: 'a' },
  });
});

test('a cause began with the first of its webhooks, and names the latest change', () => {
  const [cause] = causesOf(
    [
      failed('a', refused, { failingSince: at(16), change: { what: 'url', at: at(12) } }),
      failed('b', refused, { failingSince: at(15), change: { what: 'secret', at: at(14) } }),
      failed('c', refused, { failingSince: at(17) }),
    ],
    [webhook('a'), webhook('b'), webhook('c')],
  );
  expect(cause?.since).toBe(at(15));
  expect(cause?.change).toEqual({ text: 'the secret was rotated', at: at(14) });
});

test('a webhook without a failed delivery is shown, and one that was deleted meanwhile is not', () => {
  const causes = causesOf([failed('a', null), failed('deleted', refused)], [webhook('a')]);
  expect(causes.map(({ title, remedy }) => [title, remedy])).toEqual([
    ['No failed delivery is left', null],
  ]);
});

describe('shares', () => {
  it.each([
    [0, 0, '–'],
    [3, 3, '100%'],
    [3, 0, '0%'],
    [3, 1, '33.3%'],
    [1_000, 999, '99.9%'],
    [1_000_000, 999_999, '99.99%'],
    [1_000_000, 1, '0.01%'],
  ])('%i attempts, %i delivered', (attempts, delivered, shown) => {
    expect(formatShare(successShare({ attempts, delivered }))).toBe(shown);
  });
});

it('counts in a sentence omit outcomes that did not occur', () => {
  const none = { attempts: 0, delivered: 0, retrying: 0, exhausted: 0, blocked: 0 };
  expect(sentenceOf(none)).toBe('No attempts in this period.');
  expect(sentenceOf({ ...none, attempts: 1, delivered: 1 })).toBe('1 attempt: 1 delivered.');
  expect(sentenceOf({ ...none, attempts: 1_203, delivered: 1_200, retrying: 3 })).toBe(
    '1,203 attempts: 1,200 delivered, 3 failed with retries left.',
  );
  expect(formatCapped({ count: 10_000, countIsCapped: true })).toBe('10,000 or more');
});

it.each([
  [0, '0'],
  [9_999, '9,999'],
  [10_000, '10,000 or more'],
])('a webhook that holds %i shows %s, because the service counts no further', (count, shown) => {
  expect(formatHeld(count)).toBe(shown);
});

it('a range comes from the table and ends now', () => {
  expect(['1h', '24h', '7d', '30d'].every(isRange)).toBe(true);
  expect([undefined, '2h', 'toString'].some(isRange)).toBe(false);
  expect(sinceOf('24h', new Date('2026-01-02T10:00:00Z'))).toBe('2026-01-01T10:00:00.000Z');
});

it.each([
  ['hour', 24, false],
  ['hour', 25, true],
  ['minute', 61, false],
] as const)(
  'the time of a point by the %s includes the date if there are %i: %s',
  (by, n, isLong) => {
    expect(isLongerThanDay(by, n)).toBe(isLong);
  },
);

it("a day of the chart is in UTC, whatever the viewer's zone", () => {
  expect(formatPoint('2026-01-02T00:00:00.000Z', 'day', false)).toBe('2 Jan');
});

it.each([
  [[], 'none yet'],
  [['delivered'], 'last 1: 1 delivered'],
  [['blocked', 'retrying', 'exhausted'], 'last 3: 3 failed'],
  [['delivered', 'retrying', 'delivered'], 'last 3: 2 delivered, 1 failed'],
] as const)('the latest outcomes %j read "%s"', (latest, text) => {
  expect(trailText(latest)).toBe(text);
});

it.each([
  [20, [20]],
  [21, [20, 1]],
])('the outcomes of %i webhooks are read in groups of %j', (count, sizes) => {
  const uids = Array.from({ length: count }, (_, n) => `whk_${n}`);
  const groups = trailGroups(uids);
  expect([...new Set(groups.values())].map(({ length }) => length)).toEqual(sizes);
  expect(uids.every((uid) => groups.get(uid)?.includes(uid))).toBe(true);
});

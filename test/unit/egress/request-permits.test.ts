// The permits of requests to receivers, with the real limits: the effect of slow receivers on themselves and others.
import { afterEach, beforeEach, expect, vi, test } from 'vitest';
import {
  type Requester,
  type RequestPermit,
  RequestPermits,
} from '../../../lib/egress/request-permits.ts';

const url = new URL('https://hooks.example.com/');
const permitsPerWebhook = 32;
const permitsPerOrigin = 128;
const permitsInAll = 256;
/** One more millisecond for the turn of the event loop that reads received data. */
const overdueAfterMs = 1_001;
const waitMsMax = 2_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const settle = async (afterMs = 0): Promise<void> =>
  void (await vi.advanceTimersByTimeAsync(afterMs));

interface Course {
  /** The requests under way, in the order of their start. */
  begun: RequestPermit[];
  throttled: number;
}

/** Asks for the permits of `count` requests, and begins each request that gets them. */
function ask(permits: RequestPermits, count: number, requester: Requester & { to?: URL }): Course {
  const course: Course = { begun: [], throttled: 0 };
  const { to = url } = requester;
  for (let n = 0; n < count; n += 1) {
    permits.acquire(to, requester).then(
      (permit) => {
        permit.begin();
        return course.begun.push(permit);
      },
      ({ code }: { code?: unknown }) => {
        return code === 'THROTTLED' ? (course.throttled += 1) : undefined;
      },
    );
  }
  return course;
}

const silent = { webhookUid: 'silent' };
const firstAttempts = { ...silent, avoidsSaturated: true };

test('a webhook has at most 32 requests under way, even slow ones, and a wait of 2 s is throttled', async () => {
  const permits = new RequestPermits();
  const course = ask(permits, 100, silent);
  await settle(waitMsMax - 1);
  expect(course).toMatchObject({ begun: { length: permitsPerWebhook }, throttled: 0 });
  await settle(1);
  expect(course).toMatchObject({ begun: { length: permitsPerWebhook }, throttled: 68 });
});

test.each([
  { overdue: permitsPerWebhook / 2 - 1, waitsAtOnce: permitsPerWebhook + 1 },
  { overdue: permitsPerWebhook / 2, waitsAtOnce: 0 },
])(
  'with $overdue of its requests overdue, $waitsAtOnce first attempts wait for a webhook',
  async (rule) => {
    const permits = new RequestPermits();
    ask(permits, rule.overdue, silent);
    await settle(overdueAfterMs);
    const young = ask(permits, permitsPerWebhook - rule.overdue, firstAttempts);
    const next = ask(permits, permitsPerWebhook + 1, firstAttempts);
    await settle();
    expect(young.begun).toHaveLength(permitsPerWebhook - rule.overdue);
    expect(permitsPerWebhook + 1 - next.throttled).toBe(rule.waitsAtOnce);
  },
);

test('up to 32 retries wait for a saturated webhook, and those that get a permit are sent', async () => {
  const permits = new RequestPermits();
  const { begun } = ask(permits, permitsPerWebhook, silent);
  await settle(overdueAfterMs);
  const retries = ask(permits, permitsPerWebhook + 1, silent);
  await settle();
  expect(retries).toMatchObject({ begun: [], throttled: 1 });
  begun[0]?.release();
  await settle();
  expect(retries.begun).toHaveLength(1);
});

test('a webhook is no longer saturated when its requests have ended', async () => {
  const permits = new RequestPermits();
  const { begun } = ask(permits, permitsPerWebhook, silent);
  await settle(overdueAfterMs);
  for (const permit of begun) permit.release();
  const next = ask(permits, permitsPerWebhook + 1, firstAttempts);
  await settle();
  expect(next).toMatchObject({ begun: { length: permitsPerWebhook }, throttled: 0 });
});

test('a request that has not begun is never overdue', async () => {
  const permits = new RequestPermits();
  for (let n = 0; n < permitsPerWebhook; n += 1) await permits.acquire(url, silent);
  await settle(2 * overdueAfterMs);
  const next = ask(permits, 1, firstAttempts);
  await settle();
  expect(next.throttled).toBe(0);
});

test('three silent webhooks never delay a fourth of their origin', async () => {
  const permits = new RequestPermits();
  const silents = [1, 2, 3].map((n) => ask(permits, 64, { webhookUid: `silent${n}` }));
  await settle();
  for (let second = 0; second < 12; second += 1) {
    const quick = ask(permits, permitsPerWebhook, { webhookUid: 'quick', avoidsSaturated: true });
    await settle();
    expect(quick.begun).toHaveLength(permitsPerWebhook);
    for (const permit of quick.begun) permit.release();
    await settle(500);
    if (second % 5 !== 4) continue;
    for (const { begun } of silents) for (const permit of begun.splice(0)) permit.release();
    for (const n of [1, 2, 3]) ask(permits, 64, { webhookUid: `silent${n}` });
  }
});

test.each([
  { what: 'an origin', most: permitsPerOrigin, urlOf: () => url },
  { what: 'all', most: permitsInAll, urlOf: (n: number) => new URL(`https://r${n}.example.com/`) },
])('overdue requests return their permits of $what to other webhooks', async ({ most, urlOf }) => {
  const permits = new RequestPermits();
  const begun: Course[] = [];
  for (let n = 0; n <= most; n += 1) {
    begun.push(ask(permits, 1, { webhookUid: `webhook${n}`, to: urlOf(n) }));
  }
  await settle();
  const last = begun.at(-1);
  expect([begun.filter((one) => one.begun.length === 1).length, last?.begun]).toEqual([most, []]);
  await settle(overdueAfterMs);
  expect(last?.begun).toHaveLength(1);
});

test('a throttled request keeps no permit of its webhook', async () => {
  const permits = new RequestPermits();
  for (let n = 0; n < permitsPerOrigin; n += 1) {
    await permits.acquire(url, { webhookUid: `webhook${n >> 5}` });
  }
  const crowded = ask(permits, permitsPerWebhook, { webhookUid: 'crowded' });
  await settle(waitMsMax);
  expect(crowded.throttled).toBe(permitsPerWebhook);
  const elsewhere = ask(permits, permitsPerWebhook, {
    webhookUid: 'crowded',
    to: new URL('https://b.example/'),
  });
  await settle();
  expect(elsewhere.begun).toHaveLength(permitsPerWebhook);
});

test('when waiting is ended, every waiting request is throttled', async () => {
  const permits = new RequestPermits();
  const course = ask(permits, 100, silent);
  await settle();
  permits.endWaits();
  await settle();
  expect(course).toMatchObject({ begun: { length: permitsPerWebhook }, throttled: 68 });
});

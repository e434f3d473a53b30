// The permits of requests to receivers, with the real limits: the effect of slow receivers on themselves and others.
import * as fc from 'fast-check';
import { type RequestPermit, RequestPermits } from '../../../lib/egress/request-permits.ts';

const url = new URL('https://hooks.example.com/');
const permitsPerWebhook = 32;
const permitsPerOrigin = 128;
const permitsOfApplication = 192;
const permitsInAll = 256;
const newPermits = (): RequestPermits =>
  new RequestPermits({
    perWebhookMax: permitsPerWebhook,
    perOriginMax: permitsPerOrigin,
    inAllMax: permitsInAll,
  });
/** Adds a millisecond for the event loop turn that reads received data. */
const overdueAfterMs = 1_001;
const waitMsMax = 2_000;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const settle = (afterMs = 0): Promise<void> => jest.advanceTimersByTimeAsync(afterMs);

interface Course {
  /** The requests in flight, in the order of their start. */
  begun: RequestPermit[];
  throttled: number;
}

interface Caller {
  appUid?: string;
  webhookUid: string;
  to?: URL;
}

/** Acquires permits for `count` requests, and starts each request that gets one. */
function ask(permits: RequestPermits, count: number, caller: Caller): Course {
  const course: Course = { begun: [], throttled: 0 };
  const { to = url, appUid = 'one', webhookUid } = caller;
  for (let n = 0; n < count; n += 1) {
    permits.acquire(to, { appUid, webhookUid }).then(
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
test('a webhook has at most 32 requests in flight, even slow ones, and a wait of 2 s is throttled', async () => {
  const permits = newPermits();
  const course = ask(permits, 100, silent);
  await settle(waitMsMax - 1);
  expect(course).toMatchObject({ begun: { length: permitsPerWebhook }, throttled: 0 });
  await settle(1);
  expect(course).toMatchObject({ begun: { length: permitsPerWebhook }, throttled: 68 });
});

test('three unresponsive webhooks never delay a fourth of their origin', async () => {
  const permits = newPermits();
  const silents = [1, 2, 3].map((n) => ask(permits, 64, { webhookUid: `silent${n}` }));
  await settle();
  for (let second = 0; second < 12; second += 1) {
    const quick = ask(permits, permitsPerWebhook, { webhookUid: 'quick' });
    await settle();
    expect(quick.begun).toHaveLength(permitsPerWebhook);
    for (const permit of quick.begun) permit.release();
    await settle(500);
    if (second % 5 !== 4) continue;
    for (const { begun } of silents) for (const permit of begun.splice(0)) permit.release();
    for (const n of [1, 2, 3]) ask(permits, 64, { webhookUid: `silent${n}` });
  }
});

const elsewhere = (n: number): URL => new URL(`https://r${n}.example.com/`);

test.each([
  { what: 'an origin', most: permitsPerOrigin, appUidOf: () => 'one', urlOf: () => url },
  {
    what: 'an application',
    most: permitsOfApplication,
    appUidOf: () => 'one',
    urlOf: elsewhere,
  },
  { what: 'all', most: permitsInAll, appUidOf: (n: number) => `app${n}`, urlOf: elsewhere },
])('overdue requests return their permits of $what to other webhooks', async (rule) => {
  const { most, appUidOf, urlOf } = rule;
  const permits = newPermits();
  const begun: Course[] = [];
  for (let n = 0; n <= most; n += 1) {
    const caller = { appUid: appUidOf(n), webhookUid: `webhook${n}`, to: urlOf(n) };
    begun.push(ask(permits, 1, caller));
  }
  await settle();
  const last = begun.at(-1);
  expect([begun.filter((one) => one.begun.length === 1).length, last?.begun]).toEqual([most, []]);
  await settle(overdueAfterMs);
  expect(last?.begun).toHaveLength(1);
});

test('a request that has not started is never overdue', async () => {
  const permits = newPermits();
  for (let n = 0; n < permitsPerOrigin; n += 1) {
    await permits.acquire(url, { appUid: 'one', webhookUid: `webhook${n}` });
  }
  const next = ask(permits, 1, { webhookUid: 'next' });
  await settle(overdueAfterMs);
  expect(next.begun).toHaveLength(0);
});

test('a request waits for shared permits as long as it takes', async () => {
  const permits = newPermits();
  const held: RequestPermit[] = [];
  for (let n = 0; n < permitsPerOrigin; n += 1) {
    held.push(await permits.acquire(url, { appUid: 'one', webhookUid: `webhook${n}` }));
  }
  const next = ask(permits, 1, { webhookUid: 'next' });
  await settle(10 * waitMsMax);
  expect(next).toMatchObject({ begun: { length: 0 }, throttled: 0 });
  held[0]?.release();
  await settle();
  expect(next.begun).toHaveLength(1);
});

test('a request that waits for shared permits holds none of its webhook', async () => {
  const permits = newPermits();
  for (let n = 0; n < permitsPerOrigin; n += 1) {
    await permits.acquire(url, { appUid: 'one', webhookUid: `webhook${n >> 5}` });
  }
  const crowded = ask(permits, permitsPerWebhook, { webhookUid: 'crowded' });
  await settle(waitMsMax);
  expect(crowded).toMatchObject({ begun: { length: 0 }, throttled: 0 });
  const others = ask(permits, permitsPerWebhook, {
    webhookUid: 'crowded',
    to: new URL('https://b.example/'),
  });
  await settle();
  expect(others.begun).toHaveLength(permitsPerWebhook);
});

test('when waits are ended, every waiting request is throttled', async () => {
  const permits = newPermits();
  const course = ask(permits, 100, silent);
  await settle();
  permits.endWaits();
  await settle();
  expect(course).toMatchObject({ begun: { length: permitsPerWebhook }, throttled: 68 });
});

interface Request {
  appUid: string;
  origin: string;
  webhookUid: string;
  permit: RequestPermit | null;
}

async function acquireFor(request: Request, permits: RequestPermits): Promise<void> {
  request.permit = await permits.acquire(new URL(request.origin), request);
}

const inFlight = (requests: readonly Request[], field?: keyof Request, value?: string): number =>
  requests.filter((one) => one.permit !== null && (field === undefined || one[field] === value))
    .length;

test('no request waits while all of its limits have room', async () => {
  // Two applications, with two origins each, with two webhooks each.
  const webhooks = Array.from({ length: 8 }, (_, n) => ({
    appUid: `app${n >> 2}`,
    origin: `https://origin${n >> 1}.example.com`,
    webhookUid: `webhook${n}`,
  }));
  const step = fc.record({
    webhook: fc.constantFrom(...webhooks),
    releases: fc.boolean(),
    which: fc.nat(),
  });
  const property = fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
    const permits = new RequestPermits({ perWebhookMax: 2, perOriginMax: 3, inAllMax: 6 });
    const requests: Request[] = [];
    for (const { webhook, releases, which } of steps) {
      const granted = requests.filter(({ permit }) => permit !== null);
      const [ended] = granted.slice(which % Math.max(1, granted.length));
      if (releases && ended !== undefined) {
        requests.splice(requests.indexOf(ended), 1);
        ended.permit?.release();
      } else {
        const request: Request = { ...webhook, permit: null };
        requests.push(request);
        void acquireFor(request, permits);
      }
      await settle();
      const waitsInVain = requests.filter(
        ({ permit, appUid, origin, webhookUid }) =>
          permit === null &&
          inFlight(requests, 'webhookUid', webhookUid) < 2 &&
          inFlight(requests, 'origin', origin) < 3 &&
          inFlight(requests, 'appUid', appUid) < 4 &&
          inFlight(requests) < 6,
      );
      expect(waitsInVain).toEqual([]);
    }
  });
  await fc.assert(property, { numRuns: 300 });
});

// The webhooks of one event do not wait for each other.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ReceivedRequest, type Receiver, startReceiver } from '../../support/receivers.ts';
import { startService, type TestService } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';
import { registerWebhook, reportChange } from '../../support/webhook-calls.ts';

let service: TestService;
let receiver: Receiver;
const arrivals: { path: string; atMs: number }[] = [];

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver((response, { path }: ReceivedRequest) => {
    arrivals.push({ path, atMs: performance.now() });
    // Silent for longer than an attempt may take.
    if (path !== '/silent') response.writeHead(500).end();
  });
});

afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

/** Reports a change to a failing webhook and a silent one. Returns the waits between attempts at the failing one. */
async function waitsBesideSilence(path: string, retrySchedule: string[]): Promise<number[]> {
  const uids = [];
  for (const [to, schedule] of [
    [path, retrySchedule],
    ['/silent', ['1h']],
  ] as const) {
    const fields = { url: `${receiver.url}${to}`, retrySchedule: schedule };
    uids.push((await registerWebhook(service, fields)).uid);
  }
  await reportChange(service);
  const times = await waitFor(() => {
    const found = arrivals.filter((arrival) => arrival.path === path);
    return found.length > retrySchedule.length && found.map(({ atMs }) => atMs);
  });
  for (const uid of uids) await service.call('DELETE', `/webhooks/${uid}`);
  return times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
}

test('a first retry after 1 s waits for a silent receiver of the same event for 3.5 s at most', async () => {
  const [first = NaN, second = NaN] = await waitsBesideSilence('/quick', ['1s', '2s']);
  expect(first).toBeGreaterThanOrEqual(1_000);
  // The silent one is given up after 5 s.
  expect(first).toBeLessThan(3_500);
  expect(second).toBeGreaterThanOrEqual(2_000);
  expect(second).toBeLessThan(2.3 * 1_000 + 1_000);
});

test('a first retry after the default 5 s is not delayed by a silent receiver', async () => {
  const [first = NaN] = await waitsBesideSilence('/default', ['5s']);
  expect(first).toBeGreaterThanOrEqual(5_000);
  expect(first).toBeLessThan(5_750 + 1_000);
});

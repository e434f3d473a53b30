// The webhooks of one event do not wait for each other.
import { type ReceivedRequest, type Receiver, startReceiver } from '../support/receivers.ts';
import { startService, type TestService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';

/** Waits are compared with those of another event at the same time. A busy machine measures again. */
jest.retryTimes(2);
/** The maximum relative delay of a wait beyond its schedule. */
const jitter = 0.15;
const slackMs = 500;

interface Sent {
  data: { externalTenantId: string };
}

let service: TestService;
let receiver: Receiver;
const arrivals: { path: string; tenant: string; atMs: number }[] = [];

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver((response, { path, body }: ReceivedRequest) => {
    const { externalTenantId: tenant } = (JSON.parse(body.toString()) as Sent).data;
    arrivals.push({ path, tenant, atMs: performance.now() });
    // Silent for longer than the timeout of an attempt.
    if (path !== '/silent') response.writeHead(500).end();
  });
});

afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

/**
 * Reports a change to a failing webhook and a silent one, and one to only the failing webhook, at the same time.
 * Returns the waits between attempts at the failing one for both, in ms.
 */
async function waitsBesideSilence(
  path: string,
  retrySchedule: string[],
): Promise<{ beside: number[]; alone: number[] }> {
  const url = `${receiver.url}${path}`;
  const failing = await registerWebhook(service, { url, retrySchedule });
  const silent = await registerWebhook(service, {
    url: `${receiver.url}/silent`,
    retrySchedule: ['1h'],
    externalTenantIds: ['beside'],
  });
  const tenants = ['beside', 'alone'];
  await Promise.all(tenants.map((externalTenantId) => reportChange(service, { externalTenantId })));
  const [beside = [], alone = []] = await Promise.all(
    tenants.map((tenant) =>
      waitFor(() => {
        const found = arrivals.filter((one) => one.path === path && one.tenant === tenant);
        return found.length > retrySchedule.length && found.map(({ atMs }) => atMs);
      }),
    ),
  );
  for (const { uid } of [failing, silent]) await service.call('DELETE', `/webhooks/${uid}`);
  arrivals.length = 0;
  return { beside: waitsOf(beside), alone: waitsOf(alone) };
}

const waitsOf = (times: number[]): number[] =>
  times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));

test('a first retry after 1 s is made before a silent receiver of the same event is given up', async () => {
  const { beside, alone } = await waitsBesideSilence('/quick', ['1s', '2s']);
  const [first = NaN, second = NaN] = beside;
  expect(first).toBeGreaterThanOrEqual(1_000);
  // 2.3 s more than alone on an idle machine; the silent receiver is given up after 5 s.
  expect(first).toBeLessThan(Number(alone[0]) + 2_500);
  expect(second).toBeGreaterThanOrEqual(2_000);
  expect(second).toBeLessThan(Number(alone[1]) + jitter * 2_000 + slackMs);
});

test('a first retry after the default 5 s is not delayed by a silent receiver', async () => {
  const { beside, alone } = await waitsBesideSilence('/default', ['5s']);
  const [first = NaN] = beside;
  expect(first).toBeGreaterThanOrEqual(5_000);
  expect(first).toBeLessThan(Number(alone[0]) + jitter * 5_000 + slackMs);
});

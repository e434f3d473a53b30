// A receiver that checks certificate, credential, header and rate gets all events in time, and hardly delays a
// neighbour. The neighbour gets as many events, so that processes and receivers on two cores are not busy.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeValues } from '../../dev/bench/distribution.ts';
import { createAppWithKey } from '../../lib/access/create-app-with-key.ts';
import { Disposal } from '../../lib/platform/disposal.ts';
import { type ApiClient, createApiClient } from '../support/api-client.ts';
import { type CertifiedReceiver, startCertifiedReceiver } from '../support/certified-receiver.ts';
import { createInstallation } from '../support/installation.ts';
import { type Answering, type Receiver, startReceiver } from '../support/receivers.ts';
import { startRole } from '../support/role-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';

const ratePerSecond = 5;
/** Tolerates a process that stands still for two seconds and then catches up. */
const windowMs = 3_000;
const perWindowMax = (ratePerSecond * (windowMs + 2_000)) / 1_000;
const eventCount = 100;
const token = 'token-of-the-receiver';
const neighbourEvents = { perSecond: 5, count: 100 };
const rounds = 6;
const p99ShareMax = 1.2;

const open = new Disposal();
let strict: CertifiedReceiver;
let neighbour: Receiver;
let strictClient: ApiClient;
let neighbourClient: ApiClient;
const arrivedAtMs: number[] = [];
const answeredWith: number[] = [];
const neighbourArrivedAtMs = new Map<string, number>();

// The certificate is checked before this: no other client gets here.
const checkAll: Answering = (response, { headers }) => {
  const now = performance.now();
  const isKnown = headers.authorization === `Bearer ${token}` && headers['x-tenant'] === 'acme';
  const inWindow = arrivedAtMs.filter((at) => at > now - windowMs).length + 1;
  arrivedAtMs.push(now);
  const status = isKnown ? (inWindow > perWindowMax ? 429 : 200) : 401;
  answeredWith.push(status);
  response.writeHead(status).end();
};

beforeAll(async () => {
  strict = open.use(await startCertifiedReceiver(checkAll));
  neighbour = open.use(
    await startReceiver((response, { headers }) => {
      neighbourArrivedAtMs.set(String(headers['webhook-id']), performance.now());
      response.end();
    }),
  );
  const installation = open.use(await createInstallation());
  const { app, store, config } = installation;
  const env = { ...installation.env, ...strict.env };
  const api = open.use(await startRole('api', env));
  open.use(await startRole('worker', env));
  const url = `http://127.0.0.1:${api.port}`;
  strictClient = createApiClient(url, app);
  const other = await createAppWithKey(store, { name: 'Other', keyPepper: config.keyPepper });
  neighbourClient = createApiClient(url, other);
  await registerWebhook(neighbourClient, { url: neighbour.url });
});

afterAll(() => open[Symbol.asyncDispose]());

/** Reports changes to the neighbour at a steady pace, and returns the time from each call to its receipt. */
async function runNeighbour(): Promise<number[]> {
  const startedAt = performance.now();
  const { perSecond, count } = neighbourEvents;
  const reported = Array.from({ length: count }, async (_, n): Promise<[string, number]> => {
    const dueAt = startedAt + (n * 1_000) / perSecond;
    await delay(dueAt - performance.now());
    const calledAt = performance.now();
    return [await reportChange(neighbourClient, { uid: `agt_${n}` }), calledAt];
  });
  const calls = await Promise.all(reported);
  await waitFor(() => calls.every(([eventId]) => neighbourArrivedAtMs.has(eventId)), {
    what: "the neighbour's events",
  });
  return calls.map(([eventId, at]) => (neighbourArrivedAtMs.get(eventId) ?? Infinity) - at);
}

/** Reports all changes to the strict webhook concurrently. */
async function reportStrict(): Promise<void> {
  await Promise.all(
    Array.from({ length: eventCount }, (_, n) => reportChange(strictClient, { uid: `agt_${n}` })),
  );
}

/** Returns the time from the first to the last event at the strict receiver, and its responses. */
async function untilArrived(before: number): Promise<{ seconds: number; statuses: number[] }> {
  await waitFor(() => arrivedAtMs.length >= before + eventCount, { timeoutMs: 60_000 });
  // None arrives twice.
  await delay(1_000);
  const times = arrivedAtMs.slice(before);
  const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000;
  return { seconds, statuses: answeredWith.slice(before) };
}

test('100 events arrive in 20 s at 5 per second with certificate, credential and header, and the p99 of a neighbour stays within 1.2 times of alone', async () => {
  await registerWebhook(strictClient, {
    url: strict.url,
    headers: { 'X-Tenant': 'acme' },
    auth: { type: 'bearer', token },
    tls: strict.issue('herald'),
    ratePerSecond,
  });
  await runNeighbour(); // warms up
  const alone: number[] = [];
  const beside: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    alone.push(...(await runNeighbour()));
    const before = arrivedAtMs.length;
    // The neighbour is compared during the waiting deliveries, not during their reports.
    await reportStrict();
    const [strictRun, latencies] = await Promise.all([untilArrived(before), runNeighbour()]);
    beside.push(...latencies);
    const { seconds, statuses } = strictRun;
    const refused = statuses.filter((status) => status !== 200).length;
    process.stdout.write(`100 events in ${seconds.toFixed(2)} s, ${refused} refused\n`);
    expect(statuses).toEqual(Array.from({ length: eventCount }, () => 200));
    expect(seconds).toBeGreaterThanOrEqual(19);
    expect(seconds).toBeLessThanOrEqual(21);
  }
  const besideMs = describeValues(beside);
  const aloneMs = describeValues(alone);
  process.stdout.write(`${JSON.stringify({ aloneMs, besideMs })}\n`);
  const ids = strict.requests.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(rounds * eventCount);
  expect(besideMs?.p99).toBeLessThanOrEqual(p99ShareMax * (aloneMs?.p99 ?? 0));
}, 480_000);

// A process is killed with 200 deliveries in flight: another one soon repeats exactly these.
import type { ServerResponse } from 'node:http';
import { Disposal } from '../../lib/platform/disposal.ts';
import { createApiClient } from '../support/api-client.ts';
import { insertWebhook } from '../support/fixtures.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { type ReceivedRequest, startReceiver } from '../support/receivers.ts';
import { type RoleProcess, startRole } from '../support/role-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { reportChange } from '../support/webhook-calls.ts';

// Ten webhooks, because at most 32 requests of one are in flight.
const receiverCount = 10;
const changeCount = 20;
const inFlightCount = receiverCount * changeCount;
const roundsMax = 10;
const recoveryMsMax = 10_000;

const open = new Disposal();
let installation: Installation;
let api: RoleProcess;
let worker: RoleProcess;
/** The requests of attempt `heldAttempt` that the receivers hold open. Null once they respond immediately. */
let held: ServerResponse[] | null = [];
let heldAttempt = '1';
const arrivals: { delivery: string; attempt: string; atMs: number }[] = [];

beforeAll(async () => {
  installation = open.use(await createInstallation());
  for (let n = 0; n < receiverCount; n += 1) {
    const receiver = open.use(
      await startReceiver((response, request) => {
        const arrival = { delivery: deliveryOf(request), ...factsOf(request) };
        const isEarlier = arrival.attempt < heldAttempt;
        if (!isEarlier) arrivals.push(arrival);
        if (isEarlier) response.writeHead(500).end();
        else if (held === null) response.writeHead(200).end();
        else held.push(response);
      }),
    );
    const retryScheduleMs = Array(5).fill(1_000);
    await insertWebhook(installation, { url: `${receiver.url}/${n}`, retryScheduleMs });
  }
  [api, worker] = await Promise.all([
    startRole('api', installation.env),
    startRole('worker', installation.env),
  ]);
});

afterAll(async () => {
  await worker?.[Symbol.asyncDispose]();
  await api?.[Symbol.asyncDispose]();
  await open[Symbol.asyncDispose]();
});

const deliveryOf = ({ headers, path }: ReceivedRequest): string =>
  `${String(headers['x-webhook-event-id'])}${path}`;

const factsOf = ({ headers }: ReceivedRequest) => ({
  attempt: String(headers['x-webhook-attempt']),
  atMs: performance.now(),
});

async function reportChanges(): Promise<string[]> {
  const client = createApiClient(`http://127.0.0.1:${api.port}`, installation.app);
  const report = (_none: unknown, n: number) => reportChange(client, { uid: `agt_${n}` });
  return Promise.all(Array.from({ length: changeCount }, report));
}

async function untilDelivered(eventIds: string[]): Promise<void> {
  const filter = { eventId: { $in: eventIds }, state: 'delivered' } as const;
  const { deliveries } = installation.store;
  await waitFor(async () => (await deliveries.countDocuments(filter)) === inFlightCount, {
    what: 'every delivery recorded as delivered',
  });
}

/**
 * Brings 200 deliveries in flight together and returns their events. An attempt ends after 5 s. If the first one ends
 * before the last one starts, on a slow or cold machine, it tries with other events.
 */
async function bringIntoFlight(): Promise<string[]> {
  for (let round = 0; round < roundsMax; round += 1) {
    const holding: ServerResponse[] = [];
    held = holding;
    arrivals.length = 0;
    const eventIds = await reportChanges();
    const hasEnded = () => holding.some((response) => response.destroyed);
    await waitFor(() => holding.length >= inFlightCount || hasEnded(), {
      what: '200 deliveries in flight',
    });
    if (holding.length === inFlightCount && !hasEnded()) return eventIds;
    held = null;
    for (const response of holding) response.writeHead(200).end();
    await untilDelivered(eventIds);
  }
  throw new Error('the machine is too slow for 200 deliveries in flight');
}

test('after a worker is killed with 200 retries in flight, another repeats each of them once within 10 s', async () => {
  heldAttempt = '2';
  const eventIds = await bringIntoFlight();
  held = null;
  await worker.end('SIGKILL');
  worker = await startRole('worker', installation.env);
  // There is no other worker, so the time of its start does not count.
  await expectEachAgain(eventIds, { sinceMs: performance.now() });
});

// The last test, because it ends the api.
test('after an api process is killed with 200 first attempts in flight, a worker repeats each of them once within 10 s', async () => {
  heldAttempt = '1';
  const eventIds = await bringIntoFlight();
  held = null;
  const killedAtMs = performance.now();
  await api.end('SIGKILL');
  await expectEachAgain(eventIds, { sinceMs: killedAtMs });
});

/** Checks that exactly the deliveries in flight are repeated, because the receivers never responded to any of them. */
async function expectEachAgain(
  eventIds: string[],
  { sinceMs }: { sinceMs: number },
): Promise<void> {
  await untilDelivered(eventIds);
  const again = arrivals.slice(inFlightCount);
  expect(again).toHaveLength(inFlightCount);
  expect(new Set(again.map((arrival) => arrival.delivery)).size).toBe(inFlightCount);
  for (const { attempt, atMs } of again) {
    // The attempt that was cut off was never recorded, so it has the same number.
    expect(attempt).toBe(heldAttempt);
    expect(atMs - sinceMs).toBeLessThan(recoveryMsMax);
  }
  const recordedOnce = { eventId: { $in: eventIds }, attemptCount: Number(heldAttempt) };
  expect(await installation.store.deliveries.countDocuments(recordedOnce)).toBe(inFlightCount);
}

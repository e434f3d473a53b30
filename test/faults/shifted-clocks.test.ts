// Two machines whose clocks are 20 s ahead and behind: all processes use MongoDB's clock, so every rule holds.
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpSender } from '../../lib/egress/http-sender.ts';
import { attemptDelivery } from '../../lib/deliveries/attempt-delivery.ts';
import { takeJobPage } from '../../lib/jobs/take-job-page.ts';
import { startServerClock } from '../../lib/mongo/server-clock.ts';
import { Disposal } from '../../lib/platform/disposal.ts';
import { type ApiClient, createApiClient } from '../support/api-client.ts';
import { deliveryPorts } from '../support/delivery-ports.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { portsAt } from '../support/jobs.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from '../support/receivers.ts';
import { type RoleProcess, startRole } from '../support/role-process.ts';
import { shiftedClock } from '../support/shifted-clock.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';

const shiftMs = 20_000;
// Attempts stay in flight while others arrive.
const answersAfterMs = 100;
const orderedCount = 12;
// A first attempt that was cut off is repeated 4 to 5 s after its commit.
const recoveryMsMax = 15_000;

const open = new Disposal();
let installation: Installation;
/** The processes on the machine whose clock is ahead. */
let aheadApi: RoleProcess;
let aheadWorker: RoleProcess;
let ahead: ApiClient;
let behind: ApiClient;

const clientOf = ({ port }: RoleProcess): ApiClient =>
  createApiClient(`http://127.0.0.1:${port}`, installation.app);

const startShifted = async (role: 'api' | 'worker', aheadMs: number): Promise<RoleProcess> =>
  open.use(await startRole(role, { ...installation.env, ...shiftedClock(aheadMs) }));

beforeAll(async () => {
  installation = open.use(await createInstallation());
  const [api, worker, behindApi] = await Promise.all([
    startShifted('api', shiftMs),
    startShifted('worker', shiftMs),
    startShifted('api', -shiftMs),
  ]);
  [aheadApi, aheadWorker] = [api, worker];
  [ahead, behind] = [clientOf(api), clientOf(behindApi)];
});

afterAll(() => open[Symbol.asyncDispose]());

/** Starts a receiver that takes a while for each request, with its own webhook. */
async function startSlowWebhook(
  fields: Record<string, unknown> = {},
): Promise<{ receiver: Receiver; uid: string; tenant: string }> {
  const receiver = open.use(
    await startReceiver((response) => {
      void sleep(answersAfterMs).then(() => response.writeHead(200).end());
    }),
  );
  const tenant = `tenant-${receiver.port}`;
  const wanted = { url: receiver.url, externalTenantIds: [tenant], ...fields };
  const { uid } = await registerWebhook(ahead, wanted);
  return { receiver, uid, tenant };
}

const eventIdOf = ({ headers }: ReceivedRequest): string => String(headers['x-webhook-event-id']);

const stateOf = async (eventId: string): Promise<string | undefined> =>
  (await installation.store.deliveries.findOne({ eventId }))?.state;

async function untilSettled(eventIds: readonly string[]): Promise<void> {
  const settled = { eventId: { $in: [...eventIds] }, state: { $in: ['delivered', 'cancelled'] } };
  const { deliveries } = installation.store;
  await waitFor(
    async () => (await deliveries.countDocuments(settled as object)) === eventIds.length,
    { what: 'the end of every delivery' },
  );
}

test('a process whose clock is ahead leaves first attempts to the process that recorded the event', async () => {
  const held: ServerResponse[] = [];
  const receiver = open.use(await startReceiver((response) => void held.push(response)));
  const tenant = 'tenant-claimed';
  const wanted = { url: receiver.url, externalTenantIds: [tenant] };
  const { uid: webhookUid } = await registerWebhook(behind, wanted);
  const { store, config, app } = installation;
  const local = { now: () => new Date(Date.now() + shiftMs) };
  await using clock = await startServerClock(store, { local });
  const sender = open.use(createHttpSender({ policy: config.egress }));
  const ports = deliveryPorts(installation, { sender, clock });
  const eventId = await reportChange(behind, { externalTenantId: tenant });
  await waitFor(() => held.length === 1);
  const stop = new AbortController();
  const options = { caller: { kind: 'event' }, signal: stop.signal } as const;
  const key = { appUid: app.appUid, eventId, webhookUid };
  // An attempt that sent a request would end after its delay.
  expect(await attemptDelivery(ports, key, options)).toMatchObject({
    state: 'later',
    why: 'inFlightElsewhere',
    attemptCount: 0,
  });
  expect(held).toHaveLength(1);
  held[0]?.writeHead(200).end();
  await untilSettled([eventId]);
});

test('events in order arrive in order, once each', async () => {
  const { receiver, tenant } = await startSlowWebhook({ ordering: 'resource' });
  const eventIds: string[] = [];
  for (let n = 0; n < orderedCount; n += 1) {
    const data = { uid: 'agt_ordered', externalTenantId: tenant };
    eventIds.push(await reportChange(n % 2 === 0 ? ahead : behind, data));
  }
  await untilSettled(eventIds);
  expect(receiver.requests.map(eventIdOf)).toEqual(eventIds);
});

test.each([
  ['ahead', () => ahead],
  ['behind', () => behind],
])('a discard by the process %s drops only deliveries recorded before it', async (...row) => {
  const [, resuming] = row;
  const { receiver, uid, tenant } = await startSlowWebhook();
  const change = (body: object) => resuming().call('PATCH', `/webhooks/${uid}`, { body });
  const report = (client: ApiClient): Promise<string> =>
    reportChange(client, { externalTenantId: tenant });
  // The second time by counts alone. The first time there are none yet.
  for (let round = 0; round < 2; round += 1) {
    await change({ active: false });
    const dropped = [await report(ahead), await report(behind)];
    await waitFor(async () => {
      const states = await Promise.all(dropped.map(stateOf));
      return states.every((state) => state === 'held');
    });
    await change({ active: true, onResume: 'discard' });
    const sent = [await report(behind), await report(ahead)];
    await untilSettled([...dropped, ...sent]);
    expect(await Promise.all(dropped.map(stateOf))).toEqual(['cancelled', 'cancelled']);
    expect(await Promise.all(sent.map(stateOf))).toEqual(['delivered', 'delivered']);
    const [again = ''] = dropped;
    await behind.call('POST', `/events/${again}/resend`, { body: { webhookUids: [uid] } });
    await waitFor(async () => (await stateOf(again)) === 'delivered', { what: 'the resend' });
    const ids = receiver.requests.map(eventIdOf);
    expect(ids.slice(-3).toSorted()).toEqual([...sent, again].toSorted());
  }
});

test('an erasure erases only events recorded before its request', async () => {
  const { tenant } = await startSlowWebhook();
  const report = (client: ApiClient): Promise<string> =>
    reportChange(client, { externalTenantId: tenant });
  const before = await Promise.all([report(ahead), report(behind)]);
  const body = { externalTenantId: tenant };
  const asked = await ahead.call('POST', '/erasures', { body });
  const after = await Promise.all([report(behind), report(ahead)]);
  const jobUid = String(asked.body['uid']);
  const { store, config } = installation;
  const job = await waitFor(async () => {
    const found = await store.jobs.findOne({ _id: jobUid });
    return found?.kind === 'erasure' && found.pass === 2 ? found : undefined;
  });
  // The second pass, minutes later.
  const sender = open.use(createHttpSender({ policy: config.egress }));
  const ports = portsAt(deliveryPorts(installation, { sender }), job.passStartedAt);
  await takeJobPage(ports, { jobUid, page: job.page + 1 });
  const isErased = async (eventId: string): Promise<boolean> =>
    (await store.events.findOne({ _id: eventId }))?.erasedAt !== null;
  expect(await Promise.all(before.map(isErased))).toEqual([true, true]);
  expect(await Promise.all(after.map(isErased))).toEqual([false, false]);
});

test.each([
  [
    31_000,
    503,
    "this machine's clock is 31 s ahead of MongoDB's, and may be 30 s; set both by NTP",
  ],
  [-31_000, 503, "this machine's clock is 31 s behind MongoDB's, and may be 30 s; set both by NTP"],
  [29_000, 200, 'ok'],
])('an api whose clock is %i ms ahead responds to /readyz with %i', async (...row) => {
  const [aheadMs, status, reason] = row;
  const answer = await clientOf(await startShifted('api', aheadMs)).raw('GET', '/readyz');
  expect(answer.status).toBe(status);
  expect(answer.body['parts']?.['clock']).toBe(reason);
});

// The last test, because it ends the machine that is ahead.
test('deliveries in flight in a killed process whose clock is ahead are sent by another within seconds', async () => {
  const arrivalsMs: number[] = [];
  const receiver = open.use(
    await startReceiver((response) => {
      arrivalsMs.push(performance.now());
      if (arrivalsMs.length > 1) response.writeHead(200).end();
    }),
  );
  const tenant = 'tenant-killed';
  await aheadWorker.end('SIGKILL');
  await startShifted('worker', -shiftMs);
  await registerWebhook(behind, { url: receiver.url, externalTenantIds: [tenant] });
  await reportChange(ahead, { externalTenantId: tenant });
  await waitFor(() => arrivalsMs.length === 1, { what: 'the first attempt' });
  await aheadApi.end('SIGKILL');
  await waitFor(() => arrivalsMs.length === 2, { what: 'the second attempt' });
  expect(arrivalsMs[1] ?? 0).toBeLessThan((arrivalsMs[0] ?? 0) + recoveryMsMax);
});

// api and worker are killed at random while jobs of all kinds run: no event is lost, overtaken or unfinished.
import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryState } from '../../lib/model/delivery-state.ts';
import { newId } from '../../lib/platform/ids.ts';
import { type Answer, createApiClient } from '../support/api-client.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { type RoleProcess, startRole } from '../support/role-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhooks } from './changes.ts';
import type { Receipt } from './light-ends.ts';
import { seededRandom, soakSeeds } from '../support/seeded-random.ts';
import { judge, type Verdict } from './judge-deliveries.ts';

const kills = soakSeeds(200).length;
const webhookCount = 4;
const resourceCount = 8;
/** Every twelfth request fails, but no delivery fails twice. */
const failedShare = 12;
const settleMs = 60_000;
const retrySchedule = Array(10).fill('1s');
const erasedTenant = 'tenant-erased';

const random = seededRandom(kills);
const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;

let installation: Installation;
let receiver: Receiver;
const roles: Partial<Record<'api' | 'worker', RoleProcess>> = {};
const receipts: Receipt[] = [];
const failedOnce = new Set<string>();

beforeAll(async () => {
  installation = await createInstallation();
  receiver = await startReceiver((response, { headers, path }) => {
    const eventId = String(headers['x-webhook-event-id']);
    const key = `${eventId}${path}`;
    const isRefused = (receipts.length + 1) % failedShare === 0 && !failedOnce.has(key);
    if (isRefused) failedOnce.add(key);
    const status = isRefused ? 500 : 200;
    receipts.push({ atMs: Date.now(), eventId, hook: Number(path.slice(1)), status });
    response.writeHead(status).end();
  });
  await Promise.all([start('api'), start('worker')]);
});

afterAll(async () => {
  await Promise.all(Object.values(roles).map((role) => role[Symbol.asyncDispose]()));
  await receiver?.[Symbol.asyncDispose]();
  await installation?.[Symbol.asyncDispose]();
});

async function start(role: keyof typeof roles): Promise<void> {
  roles[role] = await startRole(role, installation.env);
}

/** Calls the current api. Repeats the call with the same key after no response or a 503. */
async function call(method: string, path: string, body?: unknown): Promise<Answer> {
  const headers = { 'x-api-key': installation.app.apiKey, 'idempotency-key': newId('req') };
  return waitFor(
    async () => {
      const client = createApiClient(`http://127.0.0.1:${roles.api?.port}`, installation.app);
      const answer = await client.call(method, path, { body, headers }).catch(() => null);
      return answer !== null && answer.status !== 503 && answer;
    },
    { what: `an answer to ${method} ${path}` },
  );
}

interface Standing extends Pick<Verdict, 'untrue' | 'outOfOrder'> {
  open: number;
}

interface Stop {
  requested: boolean;
}

/** Reports changes until it is stopped. Returns the statuses other than success. */
async function reportChanges(stop: Stop): Promise<number[]> {
  const refused: number[] = [];
  while (!stop.requested) {
    const externalTenantId = random() < 0.1 ? erasedTenant : 'tenant-1';
    const data = { uid: `agt_${Math.floor(random() * resourceCount)}`, externalTenantId };
    const { status } = await call('POST', '/changes', { event: 'agent.updated', data });
    if (status !== 202) refused.push(status);
    await sleep(20);
  }
  return refused;
}

type Ask = (method: string, path: string, body: unknown) => Promise<void>;

/** The calls that create a job of each kind at a webhook. */
const kinds = {
  async release(ask: Ask, uid: string) {
    await ask('PATCH', `/webhooks/${uid}`, { active: false });
    await sleep(1_000 * random());
    await ask('PATCH', `/webhooks/${uid}`, { active: true });
  },
  async resend(ask: Ask, webhookUid: string) {
    const since = { eventId: { $gte: pick(receipts).eventId } };
    const { deliveries, events } = installation.store;
    const delivery = await deliveries.findOne({ ...since, webhookUid, state: 'delivered' });
    const event = await events.findOne({ _id: delivery?.eventId ?? '' });
    if (event === null || event.externalTenantId === erasedTenant) return;
    await ask('POST', `/events/${event._id}/resend`, { webhookUids: [webhookUid] });
  },
  async replay(ask: Ask, uid: string) {
    const since = new Date(Date.now() - 2_000).toISOString();
    const body = { since, states: ['delivered'], perSecond: 100 };
    await ask('POST', `/webhooks/${uid}/replays`, body);
  },
  async replayToAll(ask: Ask) {
    const since = new Date(Date.now() - 2_000).toISOString();
    await ask('POST', '/replays', { since, states: ['retrying'], perSecond: 100 });
  },
  async erasure(ask: Ask) {
    await ask('POST', '/erasures', { externalTenantId: erasedTenant });
  },
};

/** Requests jobs of all kinds until it is stopped. Returns the response statuses. */
async function requestJobs(stop: Stop, webhookUids: readonly string[]): Promise<number[]> {
  const statuses: number[] = [];
  const ask: Ask = async (method, path, body) =>
    void statuses.push((await call(method, path, body)).status);
  while (!stop.requested) {
    const kind = pick([
      'release',
      'release',
      'resend',
      'resend',
      'replay',
      'replayToAll',
      'erasure',
    ] as const);
    await kinds[kind](ask, pick(webhookUids));
    await sleep(200 * random());
  }
  return statuses;
}

/** Kills api or worker under load and restarts it, `count` times. Returns the times at which workers were killed. */
async function kill(count: number): Promise<number[]> {
  const workersKilledMs: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const enough = receipts.length + Math.floor(40 * random());
    await waitFor(() => receipts.length >= enough, { what: 'more requests' });
    const role = pick(['api', 'worker'] as const);
    if (role === 'worker') workersKilledMs.push(Date.now());
    await roles[role]?.end('SIGKILL');
    await start(role);
  }
  return workersKilledMs;
}

/** Counts the requests in the second before each kill, which may be made twice. */
const inFlightAt = (killedMs: readonly number[]): number =>
  receipts.filter(({ atMs }) => killedMs.some((ms) => atMs > ms - 1_000 && atMs < ms + 100)).length;

/** The number of unfinished jobs and deliveries, and the faults of all events. */
async function standing(webhookUids: readonly string[]): Promise<Standing> {
  const { deliveries, jobs } = installation.store;
  const open: DeliveryState[] = ['pending', 'retrying', 'held'];
  const [openDeliveries, runningJobs, verdict] = await Promise.all([
    deliveries.countDocuments({ state: { $in: open } }),
    // An erasure makes its second pass five minutes later.
    jobs.countDocuments({ state: 'running', kind: { $ne: 'erasure' } }),
    judge(installation.store, {
      receipts,
      webhookUids,
      faultEndsMs: [],
      attemptsMax: retrySchedule.length + 1,
      causesOf: ({ externalTenantId }) => (externalTenantId === erasedTenant ? ['erased'] : []),
    }),
  ]);
  const { untrue, outOfOrder } = verdict;
  return { open: openDeliveries + runningJobs, untrue, outOfOrder };
}

test(`after ${kills} kills during jobs no event is lost, overtaken or unfinished, and only those in flight arrive twice`, async () => {
  const client = createApiClient(`http://127.0.0.1:${roles.api?.port}`, installation.app);
  const webhookUids = await registerWebhooks(client, receiver.url, { count: webhookCount });
  for (const uid of webhookUids) {
    await call('PATCH', `/webhooks/${uid}`, { retrySchedule });
  }
  const stop = { requested: false };
  const reporting = reportChanges(stop);
  await waitFor(() => receipts.length > 100, { what: 'the first requests' });
  const asking = requestJobs(stop, webhookUids);
  const workersKilledMs = await kill(kills).finally(() => (stop.requested = true));
  const [refused, statuses] = await Promise.all([reporting, asking]);
  expect(refused).toEqual([]);
  expect(statuses.filter((status) => status >= 300)).toEqual([]);

  const isSettled = async (): Promise<boolean> => {
    const { open, untrue } = await standing(webhookUids);
    return open + untrue.length === 0;
  };
  const state = () => standing(webhookUids);
  await waitFor(isSettled, {
    timeoutMs: settleMs,
    what: 'the end of all jobs and deliveries',
    state,
  });
  const none = { open: 0, untrue: [], outOfOrder: [] };
  expect(await standing(webhookUids)).toEqual(none);
  const { store } = installation;
  const deliveries = await store.deliveries.find({}, { projection: { attemptCount: 1 } }).toArray();
  const attempts = deliveries.reduce((sum, { attemptCount }) => sum + attemptCount, 0);
  const duplicates = receipts.length - attempts;
  const byKind = await store.jobs
    .aggregate([{ $group: { _id: '$kind', count: { $sum: 1 } } }])
    .toArray();
  process.stdout.write(
    `${JSON.stringify({ kills, requests: receipts.length, duplicates, byKind })}\n`,
  );
  // Each attempt is recorded, so additional requests were in flight at a kill.
  expect(duplicates).toBeGreaterThanOrEqual(0);
  expect(duplicates).toBeLessThanOrEqual(inFlightAt(workersKilledMs));
}, 3_600_000);

// Every api and worker process is stopped and replaced, one by one, under load: only readers of the stream notice, and
// they continue where they were.
import { setTimeout as sleep } from 'node:timers/promises';
import type { NewApp } from '../../lib/access/create-app-with-key.ts';
import { Disposal } from '../../lib/platform/disposal.ts';
import { openStream, type StreamReader } from '../support/event-stream.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { type RoleProcess, startRole } from '../support/role-process.ts';
import { soakShare } from '../support/soak-share.ts';
import { waitFor } from '../support/wait-for.ts';
import { makeCalls, type MakeChange, prepareMix, registerWebhooks } from './changes.ts';
import { settle } from './fault-run.ts';
import { createLightClient, type LightClient, startLightReceiver } from './light-ends.ts';
import { type Balancer, startBalancer } from '../support/balancer.ts';
import { seededRandom, soakSeeds } from '../support/seeded-random.ts';
import { judge } from './judge-deliveries.ts';

const eventsPerSecond = soakShare(200);
const otherCallsPerSecond = eventsPerSecond / 10;
const secondsMax = 240;
const webhooks = 2;
// Enough that changes of two processes rarely affect the same resource.
const resources = { agents: 200, contexts: 200 };
// Like `sleep` in preStop: longer than a balancer needs to learn of the stop.
const preStopMs = 2_000;
// So that attempts are in flight whenever a process is stopped.
const answersWithinMs = 300;
const settleMs = 60_000;

interface Fleet {
  open: Disposal;
  installation: Installation;
  balancer: Balancer;
  apis: RoleProcess[];
  workers: RoleProcess[];
}

/** How the balancer learns of a stop: in advance, as with preStop, or only from the readiness probe. */
type Notice = 'told before' | 'by the probe';

async function startFleet(open: Disposal): Promise<Fleet> {
  const installation = open.use(await createInstallation({ HERALD_DRAIN_FOR: '3s' }));
  const fleet = { open, installation, balancer: open.use(await startBalancer()) };
  const { env } = installation;
  const apis = await Promise.all([startRole('api', env), startRole('api', env)]);
  const workers = await Promise.all([startRole('worker', env), startRole('worker', env)]);
  for (const each of [...apis, ...workers]) open.use(each);
  for (const api of apis) await fleet.balancer.add(api.port);
  return { ...fleet, apis, workers };
}

/** Replaces each process like a rolling update: the new one is ready before the old one is stopped. */
async function replaceEach(fleet: Fleet, notice: Notice): Promise<number[]> {
  const { open, installation, balancer } = fleet;
  const stopsMs: number[] = [];
  for (const [index, old] of fleet.apis.entries()) {
    const next = open.use(await startRole('api', installation.env));
    await balancer.add(next.port);
    if (notice === 'told before') {
      balancer.remove(old.port);
      await sleep(preStopMs);
    }
    stopsMs.push(await stop(old));
    balancer.remove(old.port);
    fleet.apis[index] = next;
  }
  for (const [index, old] of fleet.workers.entries()) {
    fleet.workers[index] = open.use(await startRole('worker', installation.env));
    stopsMs.push(await stop(old));
  }
  return stopsMs;
}

async function stop(old: RoleProcess): Promise<number> {
  const { code, ms } = await old.end('SIGTERM');
  const last = old.lines.filter(({ level }) => level !== 'info').slice(-5);
  expect({ code, ms, last }).toMatchObject({ code: 0 });
  return Math.round(ms);
}

/** Makes sign-ins, and creates agents with two calls per idempotency key, which must get the same response. */
function otherCalls(
  client: LightClient,
  { apiKey, seed }: { apiKey: string; seed: number },
): MakeChange {
  const random = seededRandom(seed);
  let count = 0;
  return async () => {
    count += 1;
    if (random() < 0.5) {
      return client.call('POST', '/sdkusers/auth', { body: { externalId: `user-${count % 50}` } });
    }
    const headers = { 'x-api-key': apiKey, 'idempotency-key': `once-${seed}-${count}` };
    const body = { agentName: `Once ${count}`, live: true, externalTenantId: 'tenant-1' };
    const [first, second] = [
      await client.call('POST', '/agents', { body, headers }),
      await client.call('POST', '/agents', { body, headers }),
    ];
    if (second.text !== first.text) throw new Error('one key, and two answers');
    return second;
  };
}

/** Reads all events of an application, and reopens the stream from its last ID whenever it ends. */
async function followStream(apiUrl: string, app: NewApp) {
  const eventIds: string[] = [];
  const reasons: string[] = [];
  /** Streams that were rejected, or cut without a reason. */
  const faults: string[] = [];
  const end = new AbortController();
  const isOver = (): boolean => end.signal.aborted;
  const open = (lastEventId: string): Promise<StreamReader> =>
    openStream({ apiUrl, app }, { lastEventId });
  let stream = await open('');
  const following = (async () => {
    while (!isOver()) {
      await stream.ended;
      eventIds.push(...stream.eventIds());
      const closed = stream.messages.find(({ type }) => type === 'closed');
      if (closed !== undefined) reasons.push(String(closed.data['reason']));
      else if (!isOver()) faults.push(`${stream.status}, cut without a reason`);
      if (!isOver()) stream = await open(stream.lastEventId());
    }
  })().catch((error: unknown) => faults.push(String(error)));
  return {
    get eventIds() {
      return [...eventIds, ...stream.eventIds()];
    },
    reasons,
    faults,
    async [Symbol.asyncDispose]() {
      end.abort();
      stream[Symbol.dispose]();
      await following;
    },
  };
}

async function run(open: Disposal, seed: number) {
  const fleet = await startFleet(open);
  const { installation, balancer } = fleet;
  const { store, app } = installation;
  const random = seededRandom(seed);
  const receiver = open.use(
    await startLightReceiver({ afterMs: () => answersWithinMs * random() }),
  );
  const { receipts } = receiver;
  const client = open.use(createLightClient(balancer.url, app));
  const webhookUids = await registerWebhooks(client, receiver.url, {
    count: webhooks,
    ordered: ['context'],
  });
  const changes = await prepareMix(client, { seed, resources });
  const before = new Set(await eventIdsOf(installation));
  const reader = open.use(await followStream(balancer.url, app));

  const replaced = new AbortController();
  const load = (change: MakeChange, changesPerSecond: number) =>
    makeCalls(change, { changesPerSecond, seconds: secondsMax, signal: replaced.signal });
  const others = otherCalls(client, { apiKey: app.apiKey, seed });
  const loads = Promise.all([load(changes, eventsPerSecond), load(others, otherCallsPerSecond)]);
  const startedAt = performance.now();
  const usedBefore = process.cpuUsage();
  const stopsMs = [
    ...(await replaceEach(fleet, 'told before')),
    ...(await replaceEach(fleet, 'by the probe')),
  ];
  const replacedInMs = Math.round(performance.now() - startedAt);
  replaced.abort();
  const [changed, other] = await loads;
  const used = process.cpuUsage(usedBefore);
  // More if the machine is slower, or the service rejects calls.
  const loadCpuMsPerSecond = Math.round((used.user + used.system) / replacedInMs);

  const recorded = await eventIdsOf(installation);
  await settle(store, settleMs);
  const live = recorded.filter((id) => !before.has(id));
  const read = (): Set<string> => new Set(reader.eventIds);
  await waitFor(() => live.every((id) => read().has(id)), { what: 'the last event of the stream' });
  return {
    ...(await judge(store, { receipts, webhookUids, faultEndsMs: [] })),
    stopsMs,
    replacedInMs,
    loadCpuMsPerSecond,
    eventsPerSecond: Math.round((1_000 * live.length) / replacedInMs),
    changed,
    other,
    refused: balancer.refused,
    streamEnds: reader.reasons,
    streamFaults: reader.faults,
    readTwice: reader.eventIds.length - read().size,
  };
}

async function eventIdsOf({ store }: Installation): Promise<string[]> {
  const found = store.events.find({}, { projection: { _id: 1 } });
  return found.map(({ _id }) => _id).toArray();
}

test.each(soakSeeds(1))(
  'while all processes are replaced twice no request fails, and nothing is lost or sent twice (seed %i)',
  async (seed) => {
    const open = new Disposal();
    try {
      const result = await run(open, seed);
      process.stdout.write(`${JSON.stringify(result)}\n`);
      expect(result).toMatchObject({ untrue: [], due: 0, outOfOrder: [], duplicates: 0 });
      expect(result).toMatchObject({ refused: 0, streamFaults: [], readTwice: 0 });
      expect(Object.keys(result.changed.answers).toSorted()).toEqual(['200', '202']);
      expect(Object.keys(result.other.answers).toSorted()).toEqual(['200', '201']);
      expect(result.eventsPerSecond).toBeGreaterThan(0.9 * eventsPerSecond);
    } finally {
      await open[Symbol.asyncDispose]();
    }
  },
  300_000,
);

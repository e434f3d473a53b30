// Every api and worker process is stopped and replaced, one by one, under load: only readers of the stream notice, and
// they continue where they were.
import { setTimeout as sleep } from 'node:timers/promises';
import type { NewApp } from '../../lib/access/create-app-with-key.ts';
import { Disposal } from '../../lib/platform/disposal.ts';
import { createCaller } from '../nemesis/caller.ts';
import { settle } from '../nemesis/documents.ts';
import { observe } from '../nemesis/history-of.ts';
import { judge } from '../nemesis/judge.ts';
import { startLoad } from '../nemesis/load.ts';
import { startReceivers } from '../nemesis/receivers.ts';
import { type Balancer, startBalancer } from '../support/balancer.ts';
import { openStream, type StreamReader } from '../support/event-stream.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { type RoleProcess, startRole } from '../support/role-process.ts';
import { waitFor } from '../support/wait-for.ts';

// Like `sleep` in preStop: longer than a balancer needs to learn of the stop.
const preStopMs = 2_000;
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

async function run(open: Disposal) {
  const seed = 1;
  const fleet = await startFleet(open);
  const { installation, balancer } = fleet;
  const { store, config } = installation;
  const receivers = open.use(await startReceivers());
  const caller = open.use(createCaller(balancer.url));
  const load = await startLoad({ seed, apiUrl: balancer.url, store, config, caller, receivers });
  const startMs = Date.now();
  const busiest = load.scene.applications[1]?.app ?? installation.app;
  const reader = open.use(await followStream(balancer.url, busiest));
  const since = new Date();
  const stopsMs = [
    ...(await replaceEach(fleet, 'told before')),
    ...(await replaceEach(fleet, 'by the probe')),
  ];
  receivers.heal();
  await load.stop();
  const left = await settle(store.db, settleMs);
  const filter = { appUid: busiest.appUid, createdAt: { $gt: since } };
  const live = await store.events.find(filter, { projection: { _id: 1 } }).toArray();
  const read = (): Set<string> => new Set(reader.eventIds);
  await waitFor(() => live.every(({ _id }) => read().has(_id)), {
    what: 'the last event of the stream',
  });
  const { violations, deliveries, duplicates } = judge(
    await observe({ seed, startMs, load, receivers, faults: [], db: store.db }),
  );
  return {
    violations,
    deliveries,
    duplicates,
    left,
    stopsMs,
    statuses: Object.keys(caller.statuses).filter((status) => status === 'broken' || status >= '5'),
    refused: balancer.refused,
    streamEnds: reader.reasons,
    streamFaults: reader.faults,
    readTwice: reader.eventIds.length - read().size,
  };
}

test('while all processes are replaced twice no request fails, and nothing is lost or sent twice', async () => {
  await using open = new Disposal();
  const result = await run(open);
  process.stdout.write(`${JSON.stringify(result)}\n`);
  expect(result).toMatchObject({ violations: [], statuses: [], refused: 0 });
  expect(result).toMatchObject({ streamFaults: [], readTwice: 0 });
  expect(result.deliveries).toBeGreaterThan(500);
}, 300_000);

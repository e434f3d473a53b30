// The floor: the cost of the bare parts, on the same servers and in the same run as the scenarios.
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { Disposal } from '../../lib/platform/disposal.ts';
import { newId } from '../../lib/platform/ids.ts';
import { inTransaction } from '../../lib/mongo/transaction.ts';
import type { Bench } from './bench.ts';
import { nowMs } from './clock.ts';
import { describeValues, round } from './distribution.ts';
import { startHelper } from './helper-process.ts';
import { type Done, inTurns, type Order } from './in-turns.ts';
import { cpuMsEach, type ProcessGroups, readUsage } from './process-usage.ts';
import { sized } from './settings.ts';

export type FloorReport = Awaited<ReturnType<typeof measureFloor>>;

const atOnce = 16;

/** Measures idle processes, then bare workflows, transactions and POSTs. */
export async function measureFloor(bench: Bench) {
  const open = new Disposal();
  try {
    const idleCpuMsPerSecond = await measureIdle(bench);
    const workflows = await openWorkflows(bench, open);
    const floors = [
      await measure(bench, { name: 'bare workflow, start to no-op activity', ...workflows }),
      await measure(bench, { name: 'bare transaction, insert and update', ...transactions(bench) }),
      await measure(bench, { name: 'bare POST to the receiver', ...posts(bench, open) }),
    ];
    return { floors, idleCpuMsPerSecond };
  } finally {
    await open[Symbol.asyncDispose]();
  }
}

interface Subject {
  name: string;
  make: (order: Order) => Promise<Done>;
  /** Further processes whose cost is reported. */
  groups: ProcessGroups;
}

async function measure(bench: Bench, { name, make, groups }: Subject) {
  const { settings } = bench;
  const count = sized(settings, 300, 30);
  await make({ count: sized(settings, 100, 20), atOnce: 4 });
  const single = await make({ count, atOnce: 1 });
  const all = { ...bench.groups(), ...groups };
  const before = readUsage(all);
  const crowd = { count: 5 * count, atOnce };
  const { tookMs } = await make(crowd);
  bench.signal.throwIfAborted();
  return {
    name,
    // Of those made one at a time; the others of `atOnce` at a time.
    ms: describeValues(single.latenciesMs),
    atOnce,
    perSecond: round((crowd.count * 1_000) / tookMs),
    cpuMsEach: cpuMsEach(before, readUsage(all), crowd.count),
  };
}

async function measureIdle(bench: Bench): Promise<Record<string, number>> {
  const seconds = sized(bench.settings, 5, 1);
  const before = readUsage(bench.groups());
  await delay(seconds * 1_000, undefined, { signal: bench.signal });
  return cpuMsEach(before, readUsage(bench.groups()), seconds);
}

async function openWorkflows(
  { service, signal }: Bench,
  open: Disposal,
): Promise<Omit<Subject, 'name'>> {
  let answered: (done: Done) => void = () => undefined;
  const helper = open.use(
    await startHelper('floor-process.ts', {
      env: service.env,
      onMessage: (message) => {
        if (message !== 'ready') answered(message as Done);
      },
    }),
  );
  const make: Subject['make'] = (order) =>
    new Promise((resolve, reject) => {
      answered = resolve;
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      void helper.ended.then((how) => reject(new Error(`the floor's process ended (${how})`)));
      helper.send(order);
    });
  return { make, groups: { 'floor process': [helper.pid] } };
}

// The writes of a change: an insert of an event of common size, and an update of a resource.
function transactions({ service, signal }: Bench): Omit<Subject, 'name'> {
  const { store } = service;
  const events = store.db.collection<{ _id: string; body: string }>('benchEvents');
  const resources = store.db.collection<{ _id: number; n: number }>('benchResources');
  const body = 'x'.repeat(600);
  let n = 0;
  const transact = async (): Promise<void> => {
    signal.throwIfAborted();
    n += 1;
    const resource = { _id: n % 1_000 };
    await inTransaction(store, async (session) => {
      await events.insertOne({ _id: newId('evt'), body }, { session });
      await resources.updateOne(resource, { $set: { n } }, { session, upsert: true });
    });
  };
  return { make: (order) => inTurns(order, () => timed(transact)), groups: {} };
}

function posts({ receiver, signal }: Bench, open: Disposal): Omit<Subject, 'name'> {
  const dispatcher = new Agent({ connections: atOnce, pipelining: 1 });
  open.defer(() => dispatcher.destroy());
  const url = receiver.urlOf('floor');
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ text: 'x'.repeat(400) });
  const post = async (): Promise<void> => {
    signal.throwIfAborted();
    const answer = await request(url, { dispatcher, method: 'POST', headers, body });
    await answer.body.dump();
  };
  return { make: (order) => inTurns(order, () => timed(post)), groups: {} };
}

async function timed(act: () => Promise<void>): Promise<number> {
  const startedAtMs = nowMs();
  await act();
  return nowMs() - startedAtMs;
}

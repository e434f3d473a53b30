// The floor: what the parts cost bare, on the same servers and in the same run as the scenarios.
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { Disposal } from '../../lib/platform/disposal.ts';
import { newId } from '../../lib/platform/ids.ts';
import { inTransaction } from '../../lib/mongo/connect.ts';
import type { Bench } from './bench.ts';
import { nowMs } from './clock.ts';
import { describeValues, type Distribution, round } from './distribution.ts';
import { startHelper } from './helper-process.ts';
import { cpuMsEach, type ProcessGroups, readUsage } from './process-usage.ts';
import { sized } from './settings.ts';

export interface Floor {
  name: string;
  /** One at a time. */
  ms: Distribution | null;
  /** Several at a time. */
  atOnce: number;
  perSecond: number;
  /** Of the ones made several at a time. */
  cpuMsEach: Record<string, number>;
}

export interface FloorReport {
  floors: Floor[];
  /** Milliseconds of processor time each process takes a second while nothing is asked of it. */
  idleCpuMsPerSecond: Record<string, number>;
}

export interface FloorOrder {
  count: number;
  atOnce: number;
}

/** What the floor's process answers an order with. */
export interface FromFloorProcess {
  latenciesMs: number[];
  tookMs: number;
}

/** Makes `count` of something, `atOnce` at a time. */
type Make = (order: FloorOrder) => Promise<FromFloorProcess>;

const atOnce = 16;

/** Measures idle processes, then bare workflows, transactions and POSTs. */
export async function measureFloor(bench: Bench): Promise<FloorReport> {
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
  make: Make;
  /** Processes of the floor's own whose cost is to be told. */
  groups: ProcessGroups;
}

async function measure(bench: Bench, { name, make, groups }: Subject): Promise<Floor> {
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
  let answered: (done: FromFloorProcess) => void = () => undefined;
  const helper = open.use(
    await startHelper('floor-process.ts', {
      env: service.env,
      onMessage: (message) => {
        if (message !== 'ready') answered(message as FromFloorProcess);
      },
    }),
  );
  const make: Make = (order) =>
    new Promise((resolve, reject) => {
      answered = resolve;
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      void helper.ended.then((how) => reject(new Error(`the floor's process ended (${how})`)));
      helper.send(order);
    });
  return { make, groups: { 'floor process': [helper.pid] } };
}

/** The writes of a change: an event of common size is inserted and a resource updated. */
function transactions({ service, signal }: Bench): Omit<Subject, 'name'> {
  const { store } = service;
  const events = store.db.collection<{ _id: string; body: string }>('benchEvents');
  const resources = store.db.collection<{ _id: number; n: number }>('benchResources');
  const body = 'x'.repeat(600);
  let n = 0;
  const transact = async (): Promise<void> => {
    n += 1;
    const resource = { _id: n % 1_000 };
    await inTransaction(store, async (session) => {
      await events.insertOne({ _id: newId('evt'), body }, { session });
      await resources.updateOne(resource, { $set: { n } }, { session, upsert: true });
    });
  };
  return { make: (order) => repeat(transact, order, signal), groups: {} };
}

function posts({ receiver, signal }: Bench, open: Disposal): Omit<Subject, 'name'> {
  const dispatcher = new Agent({ connections: atOnce, pipelining: 1 });
  open.defer(() => dispatcher.destroy());
  const url = receiver.urlOf('floor');
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ text: 'x'.repeat(400) });
  const post = async (): Promise<void> => {
    const answer = await request(url, { dispatcher, method: 'POST', headers, body });
    await answer.body.dump();
  };
  return { make: (order) => repeat(post, order, signal), groups: {} };
}

async function repeat(
  act: () => Promise<void>,
  order: FloorOrder,
  signal: AbortSignal,
): Promise<FromFloorProcess> {
  const startedAtMs = nowMs();
  const latenciesMs: number[] = [];
  let left = order.count;
  async function actInTurn(): Promise<void> {
    while (left > 0) {
      signal.throwIfAborted();
      left -= 1;
      const actedAtMs = nowMs();
      await act();
      latenciesMs.push(nowMs() - actedAtMs);
    }
  }
  await Promise.all(Array.from({ length: order.atOnce }, actInTurn));
  return { latenciesMs, tookMs: nowMs() - startedAtMs };
}

// The floor: the cost of the bare parts, on the same servers and in the same run as the scenarios.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { Agent, request } from 'undici';
import { Disposal } from '../../lib/platform/disposal.ts';
import { newId } from '../../lib/platform/ids.ts';
import { inTransaction } from '../../lib/mongo/transaction.ts';
import { connectTemporal } from '../../worker/connect-temporal.ts';
import type { Bench } from './bench.ts';
import { nowMs } from './clock.ts';
import { describeValues, round } from './distribution.ts';
import { type Done, inTurns, type Order } from './in-turns.ts';
import { cpuMsEach, readUsage } from './process-usage.ts';
import { sized } from './settings.ts';

export type FloorReport = Awaited<ReturnType<typeof measureFloor>>;

const atOnce = 16;
const taskQueue = 'bench-floor';
const pauseMsMax = 100;

/** Measures idle processes, then bare workflows, transactions and POSTs. */
export async function measureFloor(bench: Bench) {
  const open = new Disposal();
  try {
    const idleCpuMsPerSecond = await measureIdle(bench);
    const make = await workflows(bench, open);
    const floors = [
      await measure(bench, 'bare workflow, start to no-op activity', make),
      await measure(bench, 'bare transaction, insert and update', transactions(bench)),
      await measure(bench, 'bare POST to the receiver', posts(bench, open)),
    ];
    return { floors, idleCpuMsPerSecond };
  } finally {
    await open[Symbol.asyncDispose]();
  }
}

type Subject = (order: Order) => Promise<Done>;

async function measure(bench: Bench, name: string, make: Subject) {
  const { settings } = bench;
  const count = sized(settings, 300, 30);
  await make({ count: sized(settings, 100, 20), atOnce: 4 });
  const single = await make({ count, atOnce: 1 });
  const before = readUsage(bench.groups());
  const crowd = { count: 5 * count, atOnce };
  const { tookMs } = await make(crowd);
  bench.signal.throwIfAborted();
  return {
    name,
    // For calls made one at a time. The other values are for `atOnce` concurrent calls.
    ms: describeValues(single.latenciesMs),
    atOnce,
    perSecond: round((crowd.count * 1_000) / tookMs),
    cpuMsEach: cpuMsEach(before, readUsage(bench.groups()), crowd.count),
  };
}

async function measureIdle(bench: Bench): Promise<Record<string, number>> {
  const seconds = sized(bench.settings, 5, 1);
  const before = readUsage(bench.groups());
  await delay(seconds * 1_000, undefined, { signal: bench.signal });
  return cpuMsEach(before, readUsage(bench.groups()), seconds);
}

// Two workers, so that the activity does not start within the task of the workflow.
async function workflows({ service, signal }: Bench, open: Disposal): Promise<Subject> {
  const { client, connection, namespace } = open.use(
    await connectTemporal(service.config.temporal),
  );
  const workers = await Promise.all([
    Worker.create({
      connection,
      namespace,
      taskQueue,
      workflowBundle: await bundleWorkflowCode({
        workflowsPath: fileURLToPath(new URL('floor-workflow.ts', import.meta.url)),
        logger: new DefaultLogger('ERROR'),
      }),
    }),
    Worker.create({
      connection,
      namespace,
      taskQueue: `${taskQueue}-activities`,
      activities: { noOp: async () => nowMs() },
    }),
  ]);
  const running = Promise.all(workers.map((worker) => worker.run()));
  open.defer(async () => {
    for (const worker of workers) worker.shutdown();
    await running;
  });
  // Returns the milliseconds from the start of a workflow to its activity.
  const runOnce = async (): Promise<number> => {
    signal.throwIfAborted();
    const startedAtMs = nowMs();
    const ranAtMs: number = await client.workflow.execute('floorWorkflow', {
      taskQueue,
      workflowId: `bench-floor/${randomUUID()}`,
      requestEagerStart: true,
    });
    return ranAtMs - startedAtMs;
  };
  return (order) =>
    inTurns(order, async () => {
      // Back to back, single workflows would synchronise with the server's own rhythm. Changes do not.
      if (order.atOnce === 1) await delay(Math.random() * pauseMsMax);
      return runOnce();
    });
}

// The writes of a change: an insert of an event of typical size, and an update of a resource.
function transactions({ service, signal }: Bench): Subject {
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
  return (order) => inTurns(order, () => timed(transact));
}

function posts({ receiver, signal }: Bench, open: Disposal): Subject {
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
  return (order) => inTurns(order, () => timed(post));
}

async function timed(act: () => Promise<void>): Promise<number> {
  const startedAtMs = nowMs();
  await act();
  return nowMs() - startedAtMs;
}

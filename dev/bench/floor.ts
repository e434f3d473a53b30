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
import type { Bench } from './service.ts';
import { nowMs } from './clock.ts';
import { describeValues, round } from './distribution.ts';
import { inTurns } from './in-turns.ts';
import { cpuMsEach, readUsage } from './process-usage.ts';
import { sized } from './settings.ts';

export type FloorReport = Awaited<ReturnType<typeof measureFloor>>;

const atOnce = 16;
const taskQueue = 'bench-floor';
// Back to back, single workflows would synchronise with the server's own rhythm. Changes do not.
const workflowPauseMsMax = 100;

/** Makes one call, and returns its milliseconds. */
type Act = () => Promise<number>;

interface Subject {
  name: string;
  act: Act;
  /** The maximum wait before each of the calls that are made one at a time. */
  pauseMsMax?: number;
}

/** Measures idle processes, then bare workflows, transactions and POSTs. */
export async function measureFloor(bench: Bench) {
  await using open = new Disposal();
  const idleCpuMsPerSecond = await measureIdle(bench);
  const subjects: Subject[] = [
    {
      name: 'bare workflow, start to no-op activity',
      act: await workflowAct(bench, open),
      pauseMsMax: workflowPauseMsMax,
    },
    { name: 'bare transaction, insert and update', act: transactionAct(bench) },
    { name: 'bare POST to the receiver', act: postAct(bench, open) },
  ];
  const floors: Awaited<ReturnType<typeof measure>>[] = [];
  for (const subject of subjects) floors.push(await measure(bench, subject));
  return { floors, idleCpuMsPerSecond };
}

async function measure(bench: Bench, { name, act, pauseMsMax = 0 }: Subject) {
  const { settings, signal } = bench;
  const count = sized(settings, 300, 30);
  const makeCall: Act = async () => {
    signal.throwIfAborted();
    return act();
  };
  await inTurns({ count: sized(settings, 100, 20), atOnce: 4 }, makeCall);
  const latenciesMs: number[] = [];
  await inTurns({ count, atOnce: 1 }, async () => {
    if (pauseMsMax > 0) await delay(Math.random() * pauseMsMax);
    latenciesMs.push(await makeCall());
  });
  const before = readUsage(bench.groups());
  const crowd = { count: 5 * count, atOnce };
  const tookMs = await inTurns(crowd, makeCall);
  return {
    name,
    // For calls made one at a time. The other values are for `atOnce` concurrent calls.
    ms: describeValues(latenciesMs),
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
async function workflowAct({ service }: Bench, open: Disposal): Promise<Act> {
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
  return async () => {
    const startedAtMs = nowMs();
    const ranAtMs: number = await client.workflow.execute('floorWorkflow', {
      taskQueue,
      workflowId: `bench-floor/${randomUUID()}`,
      requestEagerStart: true,
    });
    return ranAtMs - startedAtMs;
  };
}

// The writes of a change: an insert of an event of typical size, and an update of a resource.
function transactionAct({ service }: Bench): Act {
  const { store } = service;
  const events = store.db.collection<{ _id: string; body: string }>('benchEvents');
  const resources = store.db.collection<{ _id: number; n: number }>('benchResources');
  const body = 'x'.repeat(600);
  let n = 0;
  return timed(async () => {
    n += 1;
    const resource = { _id: n % 1_000 };
    await inTransaction(store, async (session) => {
      await events.insertOne({ _id: newId('evt'), body }, { session });
      await resources.updateOne(resource, { $set: { n } }, { session, upsert: true });
    });
  });
}

function postAct({ receiver }: Bench, open: Disposal): Act {
  const dispatcher = new Agent({ connections: atOnce, pipelining: 1 });
  open.defer(() => dispatcher.destroy());
  const url = receiver.urlOf('floor');
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ text: 'x'.repeat(400) });
  return timed(async () => {
    const answer = await request(url, { dispatcher, method: 'POST', headers, body });
    await answer.body.dump();
  });
}

function timed(act: () => Promise<void>): Act {
  return async () => {
    const startedAtMs = nowMs();
    await act();
    return nowMs() - startedAtMs;
  };
}

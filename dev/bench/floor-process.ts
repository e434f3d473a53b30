// The process of the floor on Temporal: client, workflow worker and activity worker, as api and worker have.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { readConfig } from '../../lib/config/config.ts';
import { connectTemporal } from '../../worker/connect-temporal.ts';
import { nowMs } from './clock.ts';
import type { FromFloorProcess, FloorOrder } from './floor.ts';

const taskQueue = 'bench-floor';
const pauseMsMax = 100;

const temporal = await connectTemporal(readConfig(process.env).temporal);
const { connection, namespace } = temporal;
const workers = [
  await Worker.create({
    connection,
    namespace,
    taskQueue,
    workflowBundle: await bundleWorkflowCode({
      workflowsPath: fileURLToPath(new URL('floor-workflow.ts', import.meta.url)),
      logger: new DefaultLogger('ERROR'),
    }),
  }),
  await Worker.create({
    connection,
    namespace,
    taskQueue: `${taskQueue}-activities`,
    activities: { noOp: async () => nowMs() },
  }),
];
for (const worker of workers) {
  worker.run().catch((error: unknown) => {
    process.stderr.write(`the floor's worker failed: ${String(error)}\n`);
    process.exit(1);
  });
}

/** Runs one workflow, and gives the milliseconds from its start to its activity. */
async function runOnce(): Promise<number> {
  const startedAtMs = nowMs();
  const ranAtMs: number = await temporal.client.workflow.execute('floorWorkflow', {
    taskQueue,
    workflowId: `bench-floor/${randomUUID()}`,
    requestEagerStart: true,
  });
  return ranAtMs - startedAtMs;
}

async function run({ count, atOnce }: FloorOrder): Promise<FromFloorProcess> {
  const startedAtMs = nowMs();
  const activityMs: number[] = [];
  let left = count;
  async function runInTurn(): Promise<void> {
    while (left > 0) {
      left -= 1;
      // Back to back, single workflows fall in step with the server's own rhythm; changes do not.
      if (atOnce === 1) await delay(Math.random() * pauseMsMax);
      activityMs.push(await runOnce());
    }
  }
  await Promise.all(Array.from({ length: atOnce }, runInTurn));
  return { latenciesMs: activityMs, tookMs: nowMs() - startedAtMs };
}

async function obey(order: FloorOrder): Promise<void> {
  const done = await run(order);
  process.send?.(done);
}

process.on('message', (order: FloorOrder) => void obey(order));
// What it started is small and ends with it; nothing here has to be finished in order.
process.once('disconnect', () => process.exit(0));
process.send?.('ready');

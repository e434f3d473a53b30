// The floor's process on Temporal: client, workflow worker and activity worker.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { readConfig } from '../../lib/config/config.ts';
import { connectTemporal } from '../../worker/connect-temporal.ts';
import { nowMs } from './clock.ts';
import { inTurns, type Order } from './in-turns.ts';

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

// Returns the milliseconds from the start of a workflow to its activity.
async function runOnce(): Promise<number> {
  const startedAtMs = nowMs();
  const ranAtMs: number = await temporal.client.workflow.execute('floorWorkflow', {
    taskQueue,
    workflowId: `bench-floor/${randomUUID()}`,
    requestEagerStart: true,
  });
  return ranAtMs - startedAtMs;
}

async function obey(order: Order): Promise<void> {
  const done = await inTurns(order, async () => {
    // Back to back, single workflows fall in step with the server's own rhythm; changes do not.
    if (order.atOnce === 1) await delay(Math.random() * pauseMsMax);
    return runOnce();
  });
  process.send?.(done);
}

process.on('message', (order: Order) => void obey(order));
// Ends with the driver, however that one ended.
process.once('disconnect', () => process.exit(0));
process.send?.('ready');

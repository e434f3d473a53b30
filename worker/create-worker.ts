// The workers of the service: one runs workflows, two make delivery attempts, the first ones and the retries.
import {
  type CompiledWorkerOptions,
  Worker,
  type WorkerOptions,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import { heartbeatSentEveryMs } from '../lib/temporal/heartbeat.ts';
import type { DeliveryActivities } from '../lib/temporal/messages.ts';
import { deliveriesTaskQueue, eventsTaskQueue, retriesTaskQueue } from '../lib/temporal/names.ts';
import type { Temporal } from './connect-temporal.ts';

type Place = Pick<Temporal, 'connection' | 'namespace'>;

// A stop lets attempts (5 s each) end, then cancels what is left, all within stopTimeoutMs.
const shutdownGraceTimeMs = 7_000;
const shutdownForceTimeMs = 9_000;
// After a worker dies its workflows' next tasks wait this long for it before others get them.
const stickyTimeoutMs = 2_000;
// The SDK breaks off a workflow's code after 5 s, and Node then ends the process with "async hook stack
// has become corrupted" (temporalio/sdk-typescript#939). The code never hangs, but a process that is
// starved or stands still takes longer; the setting works though the SDK's types do not tell of it.
const isolateExecutionTimeout = '1 minute';
// Deliveries wait for receivers, not for the processor, so many fit into one process. Retries have
// places of their own: a webhook that hangs takes one a delivery for 5 s, and would in time take all.
const activitiesAtOnceMax = 200;

/** Makes the worker that runs workflows; both process roles run one (docs/ARCHITECTURE.md, "Processes"). */
export async function createWorkflowWorker(
  temporal: Place,
  workflowBundle: WorkflowBundleOption,
): Promise<Worker> {
  const options: WorkerOptions & Pick<CompiledWorkerOptions, 'isolateExecutionTimeout'> = {
    connection: temporal.connection,
    namespace: temporal.namespace,
    taskQueue: eventsTaskQueue,
    workflowBundle,
    isolateExecutionTimeout,
    stickyQueueScheduleToStartTimeout: stickyTimeoutMs,
    shutdownGraceTime: shutdownGraceTimeMs,
    shutdownForceTime: shutdownForceTimeMs,
    workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 4 },
  };
  return Worker.create(options);
}

/** Makes the workers that run activities: first attempts and what else is quick, and retries. */
export async function createActivityWorkers(
  temporal: Place,
  activities: DeliveryActivities,
): Promise<Worker[]> {
  const { retryDelivery, attemptInOrder, ...quick } = activities;
  const queues = [
    { taskQueue: deliveriesTaskQueue, activities: quick },
    { taskQueue: retriesTaskQueue, activities: { retryDelivery, attemptInOrder } },
  ];
  return Promise.all(
    queues.map((queue) =>
      Worker.create({
        connection: temporal.connection,
        namespace: temporal.namespace,
        ...queue,
        maxConcurrentActivityTaskExecutions: activitiesAtOnceMax,
        maxHeartbeatThrottleInterval: heartbeatSentEveryMs,
        shutdownGraceTime: shutdownGraceTimeMs,
        shutdownForceTime: shutdownForceTimeMs,
        activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 4 },
      }),
    ),
  );
}

/** Workers that run. `failed` resolves with the first fault that ended one; disposing stops all. */
export interface RunningWorkers extends AsyncDisposable {
  failed: Promise<unknown>;
}

/** Starts workers; each runs until it is disposed of or fails. */
export function runWorkers(workers: readonly Worker[]): RunningWorkers {
  const runs = workers.map((worker) => worker.run());
  const failed = new Promise<unknown>((resolve) => {
    for (const run of runs) run.catch(resolve);
  });
  return {
    failed,
    async [Symbol.asyncDispose]() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      // A worker that failed has told so through `failed`; here only the end matters.
      await Promise.allSettled(runs);
    },
  };
}

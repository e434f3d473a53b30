import {
  type CompiledWorkerOptions,
  Worker,
  type WorkerTuner,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import { attemptLimits, jobLimits, processLimits } from '../lib/limits.ts';
import type { RunningRole } from '../lib/platform/run-process.ts';
import { heartbeatSentEveryMs } from '../lib/temporal/heartbeat.ts';
import type { DeliveryActivities } from '../lib/temporal/messages.ts';
import {
  deliveriesTaskQueue,
  eventsTaskQueue,
  orderTaskQueue,
  retriesTaskQueue,
} from '../lib/temporal/names.ts';
import type { Temporal } from './connect-temporal.ts';
import { traceSinks } from './trace-sinks.ts';

type WorkerConnection = Pick<Temporal, 'connection' | 'namespace'>;
type FirstAttemptActivity = Pick<DeliveryActivities, 'attemptFirst'>;

// A stop waits for attempts (5 s each), then cancels retries, and ends everything within stopTimeoutMs.
const stopMs = { shutdownGraceTime: 7_000, shutdownForceTime: processLimits.attemptsCutAfterMs };
// How long tasks wait for a dead worker before other workers get them.
const stickyTimeoutMs = 2_000;
// Retries have their own slots: an unresponsive receiver occupies one per delivery for 5 s, and would soon occupy all.
const {
  concurrentActivitiesMax,
  firstActivitiesMax,
  concurrentWorkflowTasksMin,
  concurrentWorkflowTasksMax,
} = attemptLimits;
const unused = { type: 'fixed-size', numSlots: 1 } as const;

// While the processors are busy, more tasks would only make all of them time out, and begin again (ADR 45).
const workflowTuner: WorkerTuner = {
  workflowTaskSlotSupplier: {
    type: 'resource-based',
    // Memory never limits it: each kind of memory of a process has its own limit.
    tunerOptions: { targetCpuUsage: 0.9, targetMemoryUsage: 1 },
    minimumSlots: concurrentWorkflowTasksMin,
    maximumSlots: concurrentWorkflowTasksMax,
  },
  // High enough that no workflow waits for another: the permits of the process are the limit, and they are fair.
  localActivityTaskSlotSupplier: {
    type: 'fixed-size',
    numSlots: concurrentWorkflowTasksMax * firstActivitiesMax,
  },
  activityTaskSlotSupplier: unused,
  nexusTaskSlotSupplier: unused,
};

/** Creates the worker for workflows and their first attempts; api and worker processes both run one. */
export async function createWorkflowWorker(
  temporal: WorkerConnection,
  { bundle, activities }: { bundle: WorkflowBundleOption; activities: FirstAttemptActivity },
): Promise<Worker> {
  return UntimedWorker.create({
    connection: temporal.connection,
    namespace: temporal.namespace,
    taskQueue: eventsTaskQueue,
    workflowBundle: bundle,
    activities: { attemptFirst: activities.attemptFirst },
    sinks: traceSinks,
    // Its activities are all local.
    enableNonLocalActivities: false,
    tuner: workflowTuner,
    stickyQueueScheduleToStartTimeout: stickyTimeoutMs,
    ...stopMs,
    workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 4 },
  });
}

/**
 * Runs workflow code without the SDK's limit of 5 s, which costs half of each activation, and after which Node would
 * kill a starved process (temporalio/sdk-typescript#939). All loops in workflows are bounded.
 */
class UntimedWorker extends Worker {
  protected static override async createWorkflowCreator(
    ...[bundle, options, logger]: Parameters<typeof Worker.createWorkflowCreator>
  ): ReturnType<typeof Worker.createWorkflowCreator> {
    const untimed = { ...options, isolateExecutionTimeoutMs: undefined };
    return super.createWorkflowCreator(bundle, untimed as unknown as CompiledWorkerOptions, logger);
  }
}

/** Creates the workers for the other activities: job pages, retries and ordered deliveries. */
export async function createActivityWorkers(
  temporal: WorkerConnection,
  activities: DeliveryActivities,
): Promise<Worker[]> {
  const { retryDelivery, attemptInOrder, takeJobPage } = activities;
  const queues = [
    {
      taskQueue: deliveriesTaskQueue,
      activities: { takeJobPage },
      maxConcurrentActivityTaskExecutions: jobLimits.concurrentPagesMax,
    },
    {
      taskQueue: retriesTaskQueue,
      activities: { retryDelivery },
      maxConcurrentActivityTaskExecutions: concurrentActivitiesMax,
    },
    {
      taskQueue: orderTaskQueue,
      activities: { attemptInOrder },
      maxConcurrentActivityTaskExecutions: concurrentActivitiesMax,
    },
  ];
  return Promise.all(
    queues.map((queue) =>
      Worker.create({
        connection: temporal.connection,
        namespace: temporal.namespace,
        ...queue,
        maxHeartbeatThrottleInterval: heartbeatSentEveryMs,
        ...stopMs,
        activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 4 },
      }),
    ),
  );
}

/** Runs workers until disposed of. `failed` resolves with the first fault that stopped one. */
export function runWorkers(workers: readonly Worker[]): RunningRole {
  const runs = workers.map((worker) => worker.run());
  const failed = new Promise<unknown>((resolve) => {
    for (const run of runs) run.catch(resolve);
  });
  return {
    failed,
    async [Symbol.asyncDispose]() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await Promise.allSettled(runs);
    },
  };
}

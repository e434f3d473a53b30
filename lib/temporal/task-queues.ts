import type { ConnectionLike } from '@temporalio/client';
import { deliveriesTaskQueue, eventsTaskQueue, orderTaskQueue, retriesTaskQueue } from './names.ts';

// TaskQueueType of temporal.api.enums.v1.
const kinds = { workflow: 1, activity: 2 } as const;
const queues = [
  { queue: eventsTaskQueue, taskQueueType: kinds.workflow },
  { queue: deliveriesTaskQueue, taskQueueType: kinds.activity },
  { queue: retriesTaskQueue, taskQueueType: kinds.activity },
  { queue: orderTaskQueue, taskQueueType: kinds.activity },
];

export interface TaskQueue {
  queue: string;
  size: number;
  ageSeconds: number;
}

/** Reads the backlog of the service's task queues, as estimated by Temporal; servers before 1.25 do not report it. */
export async function readTaskQueues(
  { workflowService }: ConnectionLike,
  namespace: string,
): Promise<TaskQueue[]> {
  const found = await Promise.all(
    queues.map(async ({ queue, taskQueueType }) => {
      const taskQueue = { name: queue };
      const request = { namespace, taskQueue, taskQueueType, reportStats: true };
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- the enum is not exported
      const { stats } = await workflowService.describeTaskQueue(request);
      if (!stats) return [];
      const { seconds, nanos } = stats.approximateBacklogAge ?? {};
      const ageSeconds = Number(seconds ?? 0) + (nanos ?? 0) / 1e9;
      return [{ queue, size: Number(stats.approximateBacklogCount ?? 0), ageSeconds }];
    }),
  );
  return found.flat();
}

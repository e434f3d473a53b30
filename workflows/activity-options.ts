// How the activities of deliveries are run: their timeouts, heartbeats and retry policies.
import { proxyActivities } from '@temporalio/workflow';
import type { RetryPolicy } from '@temporalio/common';
import { heartbeatTimeoutMs } from '../lib/temporal/heartbeat.ts';
import type { DeliveryActivities } from '../lib/temporal/messages.ts';
import { deliveriesTaskQueue, retriesTaskQueue } from '../lib/temporal/names.ts';

// Our own faults (database away, worker killed) are tried again soon and without an end of their
// own; a receiver's failure sets its own delay and ends when its schedule does. Workers that are
// killed one after the other use up the short waits, so the longest is short too.
const ownFaults: RetryPolicy = {
  initialInterval: '1 second',
  backoffCoefficient: 2,
  maximumInterval: '8 seconds',
};

/** First attempts: many deliveries in one activity, in parallel inside it, 13 s each at most with the wait for a turn. */
export const { attemptFirst } = proxyActivities<Pick<DeliveryActivities, 'attemptFirst'>>({
  taskQueue: deliveriesTaskQueue,
  startToCloseTimeout: '30 seconds',
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: ownFaults,
});

/**
 * Retries: one activity a delivery, kept alive by the server between attempts. The schedule ends
 * in at most 7 days, and a `Retry-After` at most doubles a wait or makes it an hour, for 20 waits at
 * most; so 15 days is an outer wall. A call waits for its turn and attempts, for 13 s at most; one that
 * ran out of its time in between would be made twice.
 */
export const { retryDelivery } = proxyActivities<Pick<DeliveryActivities, 'retryDelivery'>>({
  taskQueue: retriesTaskQueue,
  startToCloseTimeout: '30 seconds',
  scheduleToCloseTimeout: '15 days',
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: ownFaults,
});

/**
 * A step along a partition: up to 100 attempts one after the other, for 15 s and the last one's 13. It takes
 * as long as receivers do, so it is among the retries.
 */
export const { attemptInOrder } = proxyActivities<Pick<DeliveryActivities, 'attemptInOrder'>>({
  taskQueue: retriesTaskQueue,
  startToCloseTimeout: '45 seconds',
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: ownFaults,
});

/** A page of a job: reads of the database, and bounded writes of many documents. */
export const { takeJobPage } = proxyActivities<Pick<DeliveryActivities, 'takeJobPage'>>({
  taskQueue: deliveriesTaskQueue,
  startToCloseTimeout: '60 seconds',
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: ownFaults,
});

import { proxyActivities } from '@temporalio/workflow';
import type { RetryPolicy } from '@temporalio/common';
import { heartbeatTimeoutMs } from '../lib/temporal/heartbeat.ts';
import type { DeliveryActivities } from '../lib/temporal/messages.ts';
import { deliveriesTaskQueue, retriesTaskQueue } from '../lib/temporal/names.ts';

// Of our own faults: a receiver's failure sets its own delay, and ends with its schedule. Workers that are killed one
// after the other use up the short waits, so the longest is short too.
const ownFaults: RetryPolicy = {
  initialInterval: '1 second',
  backoffCoefficient: 2,
  maximumInterval: '8 seconds',
};

// In parallel, 13 s each at most with the wait for a permit.
export const { attemptFirst } = proxyActivities<Pick<DeliveryActivities, 'attemptFirst'>>({
  taskQueue: deliveriesTaskQueue,
  startToCloseTimeout: '30 seconds',
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: ownFaults,
});

// 15 days are beyond any schedule: 7 days, in which a `Retry-After` at most doubles a wait or makes it an hour, 20 times.
// A call takes 13 s at most; one that ran out of its time would be sent twice.
export const { retryDelivery } = proxyActivities<Pick<DeliveryActivities, 'retryDelivery'>>({
  taskQueue: retriesTaskQueue,
  startToCloseTimeout: '30 seconds',
  scheduleToCloseTimeout: '15 days',
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: ownFaults,
});

// Begins attempts for 15 s, and the last one takes 13. As slow as receivers are, so among the retries.
export const { attemptInOrder } = proxyActivities<Pick<DeliveryActivities, 'attemptInOrder'>>({
  taskQueue: retriesTaskQueue,
  startToCloseTimeout: '45 seconds',
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: ownFaults,
});

export const { takeJobPage } = proxyActivities<Pick<DeliveryActivities, 'takeJobPage'>>({
  taskQueue: deliveriesTaskQueue,
  startToCloseTimeout: '60 seconds',
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: ownFaults,
});

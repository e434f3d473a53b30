import {
  ActivityCancellationType,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow';
import type { Priority, RetryPolicy } from '@temporalio/common';
import { attemptLimits, jobLimits } from '../lib/limits.ts';
import { heartbeatTimeoutMs } from '../lib/temporal/heartbeat.ts';
import type { DeliveryActivities } from '../lib/temporal/messages.ts';
import { deliveriesTaskQueue, orderTaskQueue, retriesTaskQueue } from '../lib/temporal/names.ts';

// Of our own faults: a receiver's failure sets its own delay, and ends with its schedule. Workers that are killed one
// after the other use up the short waits, so the longest is short too.
const ownFaults: RetryPolicy = {
  initialInterval: '1 second',
  backoffCoefficient: 2,
  maximumInterval: '8 seconds',
};

// An attempt under way when its workflow is cancelled is recorded, which it could not be without the workflow.
const cancellationType = ActivityCancellationType.WAIT_CANCELLATION_COMPLETED;

// In the process that has the workflow's first task, which answers Temporal once, with their outcomes (ADR 19).
export const { attemptFirst } = proxyLocalActivities<Pick<DeliveryActivities, 'attemptFirst'>>({
  startToCloseTimeout: attemptLimits.callTimeoutMs,
  retry: ownFaults,
  // A longer wait is left to the server: a workflow task must not stay open for it.
  localRetryThreshold: '2 seconds',
});

export const { retryDelivery } = proxyActivities<Pick<DeliveryActivities, 'retryDelivery'>>({
  taskQueue: retriesTaskQueue,
  startToCloseTimeout: attemptLimits.callTimeoutMs,
  scheduleToCloseTimeout: attemptLimits.retriesTimeoutMs,
  heartbeatTimeout: heartbeatTimeoutMs,
  cancellationType,
  retry: ownFaults,
});

export const { attemptInOrder } = proxyActivities<Pick<DeliveryActivities, 'attemptInOrder'>>({
  taskQueue: orderTaskQueue,
  startToCloseTimeout: attemptLimits.orderStepTimeoutMs,
  heartbeatTimeout: heartbeatTimeoutMs,
  cancellationType,
  retry: ownFaults,
});

export const { takeJobPage } = proxyActivities<Pick<DeliveryActivities, 'takeJobPage'>>({
  taskQueue: deliveriesTaskQueue,
  startToCloseTimeout: jobLimits.pageTimeoutMs,
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: ownFaults,
});

/** Temporal serves the applications in turn whose activities wait in a task queue (`matching.enableFairness`). */
export function inTurn(appUid: string): { priority: Priority } {
  return { priority: { fairnessKey: appUid } };
}

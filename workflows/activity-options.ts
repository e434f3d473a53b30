import {
  ActivityCancellationType,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow';
import type { RetryPolicy } from '@temporalio/common';
import { attemptLimits, jobLimits } from '../lib/limits.ts';
import { heartbeatTimeoutMs } from '../lib/temporal/heartbeat.ts';
import type { DeliveryActivities } from '../lib/temporal/messages.ts';
import { deliveriesTaskQueue, orderTaskQueue, retriesTaskQueue } from '../lib/temporal/names.ts';

// For our own faults only: a receiver's failure sets its own delay and ends with its schedule. The longest wait is
// short because workers killed one after another use up the short ones.
const faultRetries: RetryPolicy = {
  initialInterval: '1 second',
  backoffCoefficient: 2,
  maximumInterval: '8 seconds',
};

// Waits for the attempt in flight when a workflow is cancelled: without the workflow it could not be recorded.
const cancellationType = ActivityCancellationType.WAIT_CANCELLATION_COMPLETED;

// In the process with the first workflow task, so that Temporal gets one response with all outcomes (ADR 19).
export const { attemptFirst } = proxyLocalActivities<Pick<DeliveryActivities, 'attemptFirst'>>({
  startToCloseTimeout: attemptLimits.callTimeoutMs,
  retry: faultRetries,
  // Longer waits are left to the server, so that no workflow task stays open for them.
  localRetryThreshold: '2 seconds',
});

export const { retryDelivery } = proxyActivities<Pick<DeliveryActivities, 'retryDelivery'>>({
  taskQueue: retriesTaskQueue,
  startToCloseTimeout: attemptLimits.callTimeoutMs,
  scheduleToCloseTimeout: attemptLimits.retriesTimeoutMs,
  heartbeatTimeout: heartbeatTimeoutMs,
  cancellationType,
  retry: faultRetries,
});

export const { attemptInOrder } = proxyActivities<Pick<DeliveryActivities, 'attemptInOrder'>>({
  taskQueue: orderTaskQueue,
  startToCloseTimeout: attemptLimits.orderStepTimeoutMs,
  heartbeatTimeout: heartbeatTimeoutMs,
  cancellationType,
  retry: faultRetries,
});

export const { takeJobPage } = proxyActivities<Pick<DeliveryActivities, 'takeJobPage'>>({
  taskQueue: deliveriesTaskQueue,
  startToCloseTimeout: jobLimits.pageTimeoutMs,
  heartbeatTimeout: heartbeatTimeoutMs,
  retry: faultRetries,
});

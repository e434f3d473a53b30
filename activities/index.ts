import type { EarlyAttempts } from '../lib/deliveries/early-attempts.ts';
import type { DeliveryPorts } from '../lib/deliveries/ports.ts';
import type { DeliveryActivities } from '../lib/temporal/messages.ts';
import { attemptFirst } from './attempt-first.ts';
import { attemptInOrder } from './attempt-in-order.ts';
import { retryDelivery } from './retry-delivery.ts';
import { createTakeJobPage } from './take-job-page.ts';

/** Creates the activities of a worker. Running workflows refer to them by name: never rename a method. */
export function createActivities(
  ports: DeliveryPorts,
  earlyAttempts: EarlyAttempts | null = null,
): DeliveryActivities {
  return {
    attemptFirst: (input) => attemptFirst(ports, input, earlyAttempts),
    attemptInOrder: (partition) => attemptInOrder(ports, partition),
    retryDelivery: (input, trace) => retryDelivery(ports, input, trace),
    takeJobPage: createTakeJobPage(ports),
  };
}

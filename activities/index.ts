// The activities a worker offers, made over the ports they need.
import type { DeliveryPorts } from '../lib/delivery/ports.ts';
import type { DeliveryActivities } from '../lib/temporal/messages.ts';
import { attemptFirst } from './attempt-first.ts';
import { attemptInOrder } from './attempt-in-order.ts';
import { eraseBatch } from './erase-batch.ts';
import { retryDelivery } from './retry-delivery.ts';
import { takeRedeliverPage } from './take-redeliver-page.ts';
import { tidyUpBatch } from './tidy-up-batch.ts';

/** Makes the activities; their names are those of the methods, which workflows in flight carry. */
export function createActivities(ports: DeliveryPorts): DeliveryActivities {
  return {
    attemptFirst: (input) => attemptFirst(ports, input),
    attemptInOrder: (input) => attemptInOrder(ports, input),
    retryDelivery: (input) => retryDelivery(ports, input),
    takeRedeliverPage: (input) => takeRedeliverPage(ports, input),
    tidyUpBatch: (input) => tidyUpBatch(ports, input),
    eraseBatch: (input) => eraseBatch(ports, input),
  };
}

// The activities a worker offers, made over the ports they need.
import type { DeliveryPorts } from '../lib/deliveries/ports.ts';
import type { DeliveryActivities } from '../lib/temporal/messages.ts';
import { attemptFirst } from './attempt-first.ts';
import { attemptInOrder } from './attempt-in-order.ts';
import { retryDelivery } from './retry-delivery.ts';
import { takeJobPage } from './take-job-page.ts';

/** Makes the activities; their names are those of the methods, which workflows in flight carry. */
export function createActivities(ports: DeliveryPorts): DeliveryActivities {
  return {
    attemptFirst: (input) => attemptFirst(ports, input),
    attemptInOrder: (input) => attemptInOrder(ports, input),
    retryDelivery: (input) => retryDelivery(ports, input),
    takeJobPage: (input) => takeJobPage(ports, input),
  };
}

// The entry point of the workflow bundle.
export { deliverEvents } from './deliver-events.ts';
export { deliverInOrder } from './deliver-in-order.ts';
export { runJob } from './run-job.ts';

// The workflows a worker offers; the bundle is made from this file.
export { deliverEvents } from './deliver-events.ts';
export { deliverInOrder } from './deliver-in-order.ts';
export { runJob } from './run-job.ts';

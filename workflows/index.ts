// The workflows a worker offers; the bundle is made from this file.
export { deliverEvents } from './deliver-events.ts';
export { deliverInOrder } from './deliver-in-order.ts';
export { erase } from './erase.ts';
export { redeliver } from './redeliver.ts';
export { tidyUp } from './tidy-up.ts';

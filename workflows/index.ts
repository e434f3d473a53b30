// The workflows a worker offers; the bundle is made from this file.
export { deliverEvents } from './deliver-events.ts';

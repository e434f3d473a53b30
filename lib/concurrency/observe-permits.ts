import { instruments } from '../telemetry/instruments.ts';
import type { Semaphore } from './semaphore.ts';

/** Shows the permits of a pool in the metrics, until the returned function is called. */
export function observePermits(
  pool: 'requests' | 'process' | 'origin' | 'webhook',
  semaphore: Semaphore,
): () => void {
  const stops = [
    instruments.permitsUsed.observe((report) => report(semaphore.countAll().held, { pool })),
    instruments.permitsWaiting.observe((report) => report(semaphore.countAll().waiting, { pool })),
    instruments.permitsMax.observe((report) => report(semaphore.permits, { pool })),
  ];
  return () => stops.forEach((stop) => stop());
}

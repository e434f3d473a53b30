import { instruments } from '../telemetry/instruments.ts';

interface Permits {
  /** Per key. */
  max: number;
  count: () => { held: number; waiting: number };
}

/** Reports the permits of a pool in the metrics, until the returned function is called. */
export function observePermits(
  pool: 'requests' | 'process' | 'application' | 'origin' | 'webhook',
  { max, count }: Permits,
): () => void {
  const stops = [
    instruments.permitsUsed.observe((report) => report(count().held, { pool })),
    instruments.permitsWaiting.observe((report) => report(count().waiting, { pool })),
    instruments.permitsMax.observe((report) => report(max, { pool })),
  ];
  return () => stops.forEach((stop) => stop());
}

// What every scenario works with: the service, the receiver, the settings, the way to stop.
import type { ProcessGroups } from './process-usage.ts';
import type { Receiver } from './receiver.ts';
import type { Service } from './service.ts';
import type { Settings } from './settings.ts';

export interface Bench {
  service: Service;
  receiver: Receiver;
  settings: Settings;
  /** Aborts when the run is to end early. */
  signal: AbortSignal;
  say: (line: string) => void;
  /** The service's processes and the bench's own. */
  groups(): ProcessGroups;
  /** What one scenario finds out for others: the highest rate that held, once it is known. */
  found: { sustainedPerSecond: number | null };
}

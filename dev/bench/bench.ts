import type { ProcessGroups } from './process-usage.ts';
import type { Receiver } from './receiver.ts';
import type { Service } from './service.ts';
import type { Settings } from './settings.ts';

/** The context of every scenario. */
export interface Bench {
  service: Service;
  receiver: Receiver;
  settings: Settings;
  signal: AbortSignal;
  say: (line: string) => void;
  /** The service's processes and the bench's own. */
  groups(): ProcessGroups;
}

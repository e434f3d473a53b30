import type { Measurement } from './measure.ts';
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

export interface Scenario {
  name: string;
  /** One line for `--help`. */
  about: string;
  /** Whether it runs by default. */
  isMain: boolean;
  /** Whether it kills servers, whose data must then be stored in files. */
  killsServers?: true;
  run(bench: Bench): Promise<ScenarioResult>;
}

export interface ScenarioResult {
  measurements: Measurement[];
  notes: string[];
  /** Missed targets, each with its limit and result. The exit code is then 1. */
  missed?: string[];
}

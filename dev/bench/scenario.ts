import type { Measurement } from './measure.ts';
import type { Bench } from './service.ts';

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

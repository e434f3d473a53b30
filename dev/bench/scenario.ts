import type { Bench } from './bench.ts';
import type { Measurement } from './measure.ts';

export interface Scenario {
  name: string;
  /** One line for `--help`. */
  about: string;
  /** Runs when none is named. */
  isMain: boolean;
  /** Whether it kills servers, whose data must then be in files. */
  killsServers?: true;
  run(bench: Bench): Promise<ScenarioResult>;
}

export interface ScenarioResult {
  measurements: Measurement[];
  notes: string[];
  /** Targets that were not met, each with its limit and figure; the exit code is then 1. */
  missed?: string[];
}

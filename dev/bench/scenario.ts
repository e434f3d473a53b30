import type { Measurement } from './measure.ts';
import type { Bench } from './service.ts';

export interface Scenario {
  name: string;
  /** One line for `--help`. */
  about: string;
  /** Whether it runs by default. */
  isMain: boolean;
  run(bench: Bench): Promise<ScenarioResult>;
}

export interface ScenarioResult {
  measurements: Measurement[];
  notes: string[];
  /** Missed targets, each with its limit and result. The exit code is then 1. */
  missed?: string[];
}

import type { Bench } from './bench.ts';
import type { Measurement } from './measure.ts';

export interface Scenario {
  name: string;
  /** One line for `--help`. */
  about: string;
  /** Runs when none is named. */
  isMain: boolean;
  /** `own`: stops or starts processes of the service; `kept`: kills servers, whose data must survive. */
  needs: 'any' | 'own' | 'kept';
  run(bench: Bench): Promise<ScenarioResult>;
}

export interface ScenarioResult {
  measurements: Measurement[];
  /** Figures that are no measurements of a load. */
  table?: string[][];
  notes: string[];
  /** Targets that were not met, each with its limit and figure; the exit code is then 1. */
  missed?: string[];
}

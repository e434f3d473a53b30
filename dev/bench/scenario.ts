// What a scenario is, and what comes of it.
import type { Bench } from './bench.ts';
import type { Measurement } from './measure.ts';

export interface Scenario {
  name: string;
  /** One line for `--help`. */
  about: string;
  /** Whether it runs when none is named. */
  isMain: boolean;
  /** `own`: stops or starts processes of the service. `kept`: kills servers, whose data must survive. */
  needs: 'any' | 'own' | 'kept';
  run(bench: Bench): Promise<ScenarioResult>;
}

export interface ScenarioResult {
  measurements: Measurement[];
  /** Sentences on what the figures do not say. */
  notes: string[];
  /** Targets that were not met, each with its limit and figure; one is enough for the exit code 1. */
  missed?: string[];
}

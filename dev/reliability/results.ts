// The results from which docs/reliability.md is made.

interface Run {
  /** A day, such as 2026-11-29. */
  date: string;
  commit: string;
}

export interface NemesisRun {
  seed: number;
  minutes: number;
  changes: number;
  deliveries: number;
  requests: number;
  /** How often each fault was made, by name. */
  faults: Record<string, number>;
  /** By rule; a rule that was never violated is absent. */
  violations: Record<string, number>;
  /** Repeated requests by cause. */
  duplicates: Record<string, number>;
  recoveryMs: { p50: number; max: number };
  /** Of the application without load: before the faults, and between them. */
  quietP99Ms: { before: number; outsideFaults: number };
  restore: { events: number; violations: number };
}

export interface NemesisResults extends Run {
  machine: { cores: number; node: string };
  runs: NemesisRun[];
}

export interface MutantResult {
  name: string;
  /** The rule that failed; null if the fault survived. */
  caughtBy: string | null;
  seconds: number;
}

export interface MutantResults extends Run {
  seconds: number;
  caught: number;
  mutants: MutantResult[];
}

export interface CrashPointResults extends Run {
  /** The number of awaits in the service. */
  listed: number;
  /** By role: an await of both api and worker counts twice. */
  killed: number;
  deliveries: number;
  violations: number;
  /** Repeated requests. */
  repeated: number;
  seconds: number;
}

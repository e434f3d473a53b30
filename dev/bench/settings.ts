// What the command line says, and how it bears on the figures of a scenario.

/** Which call makes a change: `POST …/changes`, or `PATCH …/agents/{uid}` with a resource written too. */
export type ChangePath = 'changes' | 'agents';

export interface Settings {
  /** Seconds of load and arrivals a second, where the scenario's own are not wanted. */
  seconds: number | null;
  ratePerSecond: number | null;
  /** A smoke version of each scenario, of a few seconds. */
  short: boolean;
  path: ChangePath;
  /** Servers that keep their data in files, as `npm start` runs them, and not in memory. */
  kept: boolean;
  /** A running service's dev.json; null to start one. */
  servicePath: string | null;
}

/** Chooses between a scenario's figure and the one of its smoke version. */
export function sized({ short }: Settings, full: number, smoke: number): number {
  return short ? smoke : full;
}

/** A scenario's seconds of load: those asked for, else its own. */
export function secondsOf(settings: Settings, full: number, smoke = 3): number {
  return settings.seconds ?? sized(settings, full, smoke);
}

/** A scenario's arrivals a second: those asked for, else its own. */
export function rateOf(settings: Settings, full: number, smoke = full): number {
  return settings.ratePerSecond ?? sized(settings, full, smoke);
}

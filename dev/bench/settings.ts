import type { ClosedLoad, OpenLoad } from './load.ts';

/** `POST …/changes`, or `PATCH …/agents/{uid}`, which also writes the agent. */
export type ChangePath = 'changes' | 'agents';

export interface Settings {
  /** Null: the scenario's own. */
  seconds: number | null;
  ratePerSecond: number | null;
  /** Smoke versions of a few seconds. */
  short: boolean;
  path: ChangePath;
}

/** Returns a scenario's figure, or the one of its smoke version. */
export function sized({ short }: Settings, full: number, smoke: number): number {
  return short ? smoke : full;
}

/** Returns the seconds of load that are asked for, else the scenario's own. */
export function secondsOf(settings: Settings, full: number, smoke = 3): number {
  return settings.seconds ?? sized(settings, full, smoke);
}

/** Returns the arrivals a second that are asked for, else the scenario's own. */
export function rateOf(settings: Settings, full: number, smoke = full): number {
  return settings.ratePerSecond ?? sized(settings, full, smoke);
}

/** Arrivals at the rate and for the seconds that are asked for, else the scenario's own. */
export function openLoad(settings: Settings, ratePerSecond: number, seconds: number): OpenLoad {
  return {
    model: 'open',
    ratePerSecond: rateOf(settings, ratePerSecond),
    seconds: secondsOf(settings, seconds),
  };
}

/** Calls by 50 concurrent callers. */
export function crowdLoad(settings: Settings, calls: number): ClosedLoad {
  return { model: 'closed', callers: 50, calls, secondsMax: secondsOf(settings, 120, 20) };
}

import type { ClosedLoad, OpenLoad } from './load.ts';

/** `POST …/changes`, or `PATCH …/agents/{uid}`, which also writes the agent. */
export type ChangePath = 'changes' | 'agents';

export interface Settings {
  /** Null means the scenario's own value. */
  seconds: number | null;
  ratePerSecond: number | null;
  /** Whether to run smoke versions of a few seconds. */
  short: boolean;
  path: ChangePath;
}

/** Returns the value of a scenario, or that of its smoke version. */
export function sized({ short }: Settings, full: number, smoke: number): number {
  return short ? smoke : full;
}

/** Returns the requested seconds of load, or else the scenario's own. */
export function secondsOf(settings: Settings, full: number, smoke = 3): number {
  return settings.seconds ?? sized(settings, full, smoke);
}

/** Returns the requested arrivals per second, or else the scenario's own. */
export function rateOf(settings: Settings, full: number, smoke = full): number {
  return settings.ratePerSecond ?? sized(settings, full, smoke);
}

/** Returns arrivals at the requested rate and duration, or else the scenario's own. */
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

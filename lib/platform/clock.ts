/** All code that compares or stores times takes a clock, so that tests can replace it. */
export interface Clock {
  now(): Date;
  /** How far the machine's clock is ahead of this one, if they differ; negative if it is behind. */
  aheadMs?(): number;
}

export const systemClock: Clock = { now: () => new Date() };

/** All code that compares or stores times takes a clock, so that tests can replace it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

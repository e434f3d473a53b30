// The one source of the current time, so that tests can hand in a clock of their own.

/** Gives the current time. Everything that compares or stores times takes one of these. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

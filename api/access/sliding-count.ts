// How often something was done in the last window of time: a pure reading of two counts.

/** A limit: so many times in any window of so long. */
export interface RateLimit {
  /** Its name in headers, counts and logs. */
  name: string;
  countMax: number;
  windowMs: number;
}

/** What is known of a subject: the counts of the running window and of the one before. */
export interface WindowCounts {
  previous: number;
  current: number;
}

/** How a subject stands to its limit. */
export interface RateStanding {
  isOver: boolean;
  /** How many more there may be now. */
  remaining: number;
  /** When there is room again, or when the running window ends; whole seconds, 1 at least. */
  resetSeconds: number;
}

/** The number of the window that a time is in. */
export function windowOf(nowMs: number, { windowMs }: RateLimit): number {
  return Math.floor(nowMs / windowMs);
}

/**
 * Reads the counts as those of a window that ends now: the running one, and of the one before as much
 * as reaches into it. So nobody gets twice the limit around the turn of a window.
 */
export function standingOf(limit: RateLimit, counts: WindowCounts, nowMs: number): RateStanding {
  const { countMax, windowMs } = limit;
  const elapsedMs = nowMs % windowMs;
  const untilEndMs = windowMs - elapsedMs;
  // In whole numbers up to the one division: a share such as 1/3 would leave no room where there is one.
  const left = (countMax - counts.current) * windowMs - counts.previous * untilEndMs;
  const remaining = Math.max(0, Math.floor(left / windowMs));
  return {
    isOver: remaining === 0,
    remaining,
    resetSeconds: Math.max(1, Math.ceil(waitMs(limit, counts, { elapsedMs, untilEndMs }) / 1_000)),
  };
}

/** How long until there is room for one more, if nothing else is done meanwhile. */
function waitMs(
  { countMax, windowMs }: RateLimit,
  { previous, current }: WindowCounts,
  { elapsedMs, untilEndMs }: { elapsedMs: number; untilEndMs: number },
): number {
  const room = countMax - 1 - current;
  if (room >= 0) {
    // The share of the window before has to shrink to the room that the running one leaves.
    const neededMs = previous <= room ? 0 : (windowMs * (previous - room)) / previous;
    return neededMs > elapsedMs ? neededMs - elapsedMs : untilEndMs;
  }
  // The running window alone is over: it has to become the one before, and shrink.
  return untilEndMs + (windowMs * (current - countMax + 1)) / current;
}

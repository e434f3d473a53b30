export interface RateLimit {
  name: string;
  countMax: number;
  windowMs: number;
}

interface WindowCounts {
  previous: number;
  current: number;
}

export interface RateStanding {
  isOver: boolean;
  remaining: number;
  /** Seconds until there is room again or the current window ends; at least 1. */
  resetSeconds: number;
}

export function windowOf(nowMs: number, { windowMs }: RateLimit): number {
  return Math.floor(nowMs / windowMs);
}

/** Weighs the previous window by its share in a window that ends now, so that no boundary doubles the limit. */
export function standingOf(limit: RateLimit, counts: WindowCounts, nowMs: number): RateStanding {
  const { countMax, windowMs } = limit;
  const elapsedMs = nowMs % windowMs;
  const untilEndMs = windowMs - elapsedMs;
  // Multiplied before the division, because rounding a share such as 1/3 could lose a free slot.
  const left = (countMax - counts.current) * windowMs - counts.previous * untilEndMs;
  const remaining = Math.max(0, Math.floor(left / windowMs));
  return {
    isOver: remaining === 0,
    remaining,
    resetSeconds: Math.max(1, Math.ceil(waitMs(limit, counts, { elapsedMs, untilEndMs }) / 1_000)),
  };
}

function waitMs(
  { countMax, windowMs }: RateLimit,
  { previous, current }: WindowCounts,
  { elapsedMs, untilEndMs }: { elapsedMs: number; untilEndMs: number },
): number {
  const room = countMax - 1 - current;
  if (room >= 0) {
    // The share of the previous window must shrink to the remaining room.
    const neededMs = previous <= room ? 0 : (windowMs * (previous - room)) / previous;
    return neededMs > elapsedMs ? neededMs - elapsedMs : untilEndMs;
  }
  // The current window must become the previous one and then shrink.
  return untilEndMs + (windowMs * (current - countMax + 1)) / current;
}

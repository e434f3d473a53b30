// When an overloaded process asks its balancer for a rest: late, briefly and seldom, because what is
// too much for one is often too much for all, and a balancer that takes out all of them helps nobody.

/** So long must most requests be refused … */
const refusingMsMin = 10_000;
/** … and up to so much longer, drawn anew each time, so that processes do not go together. */
const refusingMsSpread = 30_000;
const restMs = 10_000;
/** From one rest to the next, so that a process is there for five sixths of the time at least. */
const workMs = 50_000;

export interface Rest {
  /** Takes how many requests came and how many were refused since the last call. */
  note(seen: { came: number; refused: number }, nowMs: number): void;
  /** Tells whether the process rests now. */
  isOn(nowMs: number): boolean;
}

/** Makes the rest of a process that works; `draw` gives a number from 0 to below 1. */
export function createRest(draw: () => number = Math.random): Rest {
  let refusingMs = refusingMsMin + draw() * refusingMsSpread;
  let refusingSinceMs: number | null = null;
  let restsUntilMs = -Infinity;
  return {
    note({ came, refused }, nowMs) {
      const refusesMost = refused > 0 && refused >= came / 2;
      refusingSinceMs = refusesMost ? (refusingSinceMs ?? nowMs) : null;
      if (refusingSinceMs === null || nowMs - refusingSinceMs < refusingMs) return;
      if (nowMs < restsUntilMs + workMs) return;
      restsUntilMs = nowMs + restMs;
      refusingMs = refusingMsMin + draw() * refusingMsSpread;
    },
    isOn: (nowMs) => nowMs < restsUntilMs,
  };
}

// Decides when a "last used" time is worth a write: seldom, however often the thing is used.

// Forgetting costs a write that is not needed.
const rememberedMax = 10_000;

/** Tells whether the use of a thing at `at` is to be written; `stored` is the time that was read with it. */
export type Touch = (id: string, at: Date, stored: Date | null | undefined) => boolean;

/** Makes a `Touch` that returns true at most once in `everyMs` for each thing; then the caller writes. */
export function createTouch(everyMs: number): Touch {
  const touchedAtMs = new Map<string, number>();
  return (id, at, stored) => {
    const lastMs = Math.max(stored?.getTime() ?? 0, touchedAtMs.get(id) ?? 0);
    if (at.getTime() - lastMs < everyMs) return false;
    if (touchedAtMs.size >= rememberedMax) touchedAtMs.clear();
    touchedAtMs.set(id, at.getTime());
    return true;
  };
}

// Forgetting an ID only costs a needless write.
const rememberedMax = 10_000;

type IdThrottle = (id: string, at: Date, stored: Date | null | undefined) => boolean;

/** Returns a function that is true at most once per `everyMs` and ID, for example to write a "last used" time. */
export function throttleById(everyMs: number): IdThrottle {
  const touchedAtMs = new Map<string, number>();
  return (id, at, stored) => {
    const lastMs = Math.max(stored?.getTime() ?? 0, touchedAtMs.get(id) ?? 0);
    if (at.getTime() - lastMs < everyMs) return false;
    if (touchedAtMs.size >= rememberedMax) touchedAtMs.clear();
    touchedAtMs.set(id, at.getTime());
    return true;
  };
}

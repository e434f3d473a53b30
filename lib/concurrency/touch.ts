// Forgetting costs a needless write.
const rememberedMax = 10_000;

type Touch = (id: string, at: Date, stored: Date | null | undefined) => boolean;

/** Returns true at most once in `everyMs` for each id: then the caller writes its "last used" time. */
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
